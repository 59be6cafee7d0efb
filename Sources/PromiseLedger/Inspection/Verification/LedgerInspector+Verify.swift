import LedgerLMDB

extension LedgerInspector {
  /// Checks everything that can be checked: every record of the log and of the snapshot with its
  /// checksum, that no event is missing, that commits are whole, that payloads can be read, that
  /// entities lived by the rules, that what an event refers to is there, that every value stored
  /// beside an event is whole, and that the snapshot and its lists are what the events make.
  ///
  /// It goes on after damage as far as it can; only what depends on lost events is not checked then.
  ///
  /// It sees the ledger as it is when it begins. Writers go on meanwhile, but space that they free is
  /// used again only when it is over.
  ///
  /// - Parameters:
  ///   - progress: Called now and then with the position reached.
  ///   - report: Gets every finding; those about the snapshot first, then in the order of positions. It
  ///     must not read the ledger.
  /// - Throws: ``LedgerError`` if the ledger cannot be read for another reason than damage, and
  ///   what `report` throws.
  /// - Complexity: O(events + records) in time, O(entities) in memory; O(entities that kept events
  ///   change) if events were deleted.
  public func verify(
    progress: (Position) -> Void = { _ in }, _ report: (VerificationFinding) throws -> Void
  ) throws -> VerificationSummary {
    try readingInOneTransaction { transaction, tables, _ in
      try Self.verify(id, transaction, tables, progress, report)
    }
  }

  private static func verify(
    _ id: LedgerID, _ transaction: borrowing ReadTransaction, _ tables: [SnapshotTable: Table],
    _ progress: (Position) -> Void, _ report: (VerificationFinding) throws -> Void
  ) throws -> VerificationSummary {
    guard let log = tables[.log], let blob = tables[.blob] else { throw LedgerError.storeClosed }
    let view = LMDBSnapshotTables(transaction, tables)
    defer { view.end() }
    var snapshot = SnapshotChecks(view)
    try snapshot.run { progress(.start) }
    var verification = Verification(id, &snapshot, log, blob)
    var position = Position.start
    let tick = { progress(position) }
    try verification.run(transaction, tick) { verification in
      for finding in verification.takeFindings() { try report(finding) }
      position = verification.position
      progress(position)
    }
    return verification.summary
  }
}
