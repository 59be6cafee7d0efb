import LedgerLMDB

extension LedgerInspector {
  /// Checks everything that can be checked: the structure of every page of the data file, every
  /// record of the log and of the snapshot with its checksum, that no event is missing, that commits
  /// are whole, that payloads can be read, that entities lived by the rules, that what an event
  /// refers to is there, that every value stored beside an event is whole, and that the snapshot and
  /// its lists are what the events make.
  ///
  /// It goes on after damage as far as it can; only what depends on lost events is not checked then. A
  /// page whose structure is damaged is the only finding: to read on could end the process inside LMDB.
  ///
  /// It sees the ledger as it is when it begins. Writers go on meanwhile, but space that they free is
  /// used again only when it is over.
  ///
  /// - Parameters:
  ///   - progress: Called now and then with the position reached.
  ///   - report: Gets every finding; those about the snapshot first, then in the order of positions. It
  ///     must not read the ledger.
  /// - Throws: ``LedgerError`` if the ledger cannot be read for another reason than damage, with
  ///   `closed` if the inspection is closed while pages are looked at; and what `report` throws.
  /// - Complexity: O(events + records) in time, O(entities) in memory; O(entities that kept events
  ///   change) if events were deleted.
  public func verify(
    progress: (Position) -> Void = { _ in }, _ report: (VerificationFinding) throws -> Void
  ) throws -> VerificationSummary {
    let damage: LedgerError?
    do throws(LedgerError) {
      damage = try checkAllPages { progress(.start) }
    } catch {
      guard error.code == .corrupt else { throw error }
      // LMDB could end this process on such a page, so nothing else is read.
      try report(VerificationFinding(error.message, at: nil))
      var summary = VerificationSummary()
      summary.corruptCount = 1
      return summary
    }
    if let damage { try report(VerificationFinding(damage.message, at: nil)) }
    var summary = try readingInOneTransaction { transaction, tables, _ in
      try Self.verify(id, transaction, tables, progress, report)
    }
    if damage != nil { summary.corruptCount += 1 }
    return summary
  }

  private static func verify(
    _ id: LedgerID, _ transaction: borrowing ReadTransaction, _ tables: LedgerTables,
    _ progress: (Position) -> Void, _ report: (VerificationFinding) throws -> Void
  ) throws -> VerificationSummary {
    guard let log = tables[.log], let blob = tables[.blob] else { throw LedgerError.storeClosed }
    let view = LMDBSnapshotTables(transaction, tables)
    defer { view.end() }
    var snapshot = SnapshotChecks(view)
    try snapshot.run { progress(.start) }
    var verification = Verification(id, &snapshot, log, blob)
    var summary: VerificationSummary
    var position = Position.start
    let tick = { progress(position) }
    try verification.run(transaction, tick) { verification in
      for finding in verification.takeFindings() { try report(finding) }
      position = verification.position
      progress(position)
    }
    summary = verification.summary
    guard summary.corruptCount == 0 else { return summary }
    // What every opening compares, too.
    do {
      _ = try TableAgreement(tables).checkedEnd(in: transaction)
    } catch let error as LedgerError where error.code == .corrupt {
      try report(VerificationFinding(error.message, at: nil))
      summary.corruptCount += 1
    }
    return summary
  }
}
