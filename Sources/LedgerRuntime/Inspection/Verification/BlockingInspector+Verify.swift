extension BlockingInspector {
  /// Checks everything that can be checked: the structure of every page of the data file; the checksum of
  /// every record of the log and of the snapshot; that no event is missing, commits are whole, and payloads
  /// are readable; that entities followed the rules of their lifecycles; that everything an event refers to
  /// exists; that every value stored beside an event is whole; and that the snapshot and its lists match the
  /// events.
  ///
  /// It continues after damage as far as possible and skips only the checks that depend on lost events. If
  /// the structure of a page is damaged, that is the only finding, because reading on could crash the process
  /// inside LMDB.
  ///
  /// It sees the ledger as it was when it began. Writers continue meanwhile, but the space that they free is
  /// reused only after it finishes.
  ///
  /// - Parameters:
  ///   - progress: Called periodically with the position reached. An error ends the verification, soon.
  ///   - report: Receives every finding: first those about the snapshot, then the others in the order of
  ///     positions. It must not read the ledger.
  /// - Throws: ``LedgerError`` if the ledger cannot be read for a reason other than damage, with `closed` if
  ///   the inspection is closed while pages are checked; and any error that `progress` or `report` throws.
  /// - Complexity: O(events + records) in time, O(entities) in memory; O(entities that kept events
  ///   change) if events were deleted.
  package func verify(
    progress: (Position) throws -> Void = { _ in }, _ report: (VerificationFinding) throws -> Void
  ) throws -> VerificationSummary {
    try withoutActuallyEscaping(progress) { progress in
      try verify(Interruptible(progress), report)
    }
  }

  private func verify(
    _ progress: Interruptible, _ report: (VerificationFinding) throws -> Void
  ) throws -> VerificationSummary {
    let damage: LedgerError?
    do throws(LedgerError) {
      damage = try store.checkStructure { progress.goesOn(at: .start) }
    } catch {
      try progress.throwIfEnded()
      guard error.code == .corrupt else { throw error }
      // LMDB could crash this process on such a page, so nothing else is read.
      try report(VerificationFinding(error.message, at: nil))
      var summary = VerificationSummary()
      summary.corruptCount = 1
      return summary
    }
    if let damage { try report(VerificationFinding(damage.message, at: nil)) }
    let findings = Findings()
    var summary = try store.withPinnedView { view in
      try Self.verify(id, view, findings, progress, report)
    }
    summary.corruptCount = findings.corruptCount + (damage == nil ? 0 : 1)
    summary.unsupportedCount = findings.unsupportedCount
    return summary
  }

  private static func verify(
    _ id: LedgerID, _ view: any LedgerSource, _ findings: Findings,
    _ progress: Interruptible, _ report: (VerificationFinding) throws -> Void
  ) throws -> VerificationSummary {
    var outcome: Result<VerificationSummary, any Error>?
    try view.readSnapshot { (tables) throws(LedgerError) in
      outcome = Result { try verify(id, tables, findings, progress, report) }
    }
    guard let summary = try outcome?.get() else { throw LedgerError.storeClosed }
    guard findings.corruptCount == 0 else { return summary }
    // Every opening of the ledger makes this comparison, too.
    do throws(LedgerError) {
      _ = try view.head()
    } catch {
      guard error.code == .corrupt else { throw error }
      findings.add(error)
    }
    for finding in findings.take() { try report(finding) }
    return summary
  }

  private static func verify(
    _ id: LedgerID, _ tables: any SnapshotTables, _ findings: Findings,
    _ progress: Interruptible, _ report: (VerificationFinding) throws -> Void
  ) throws -> VerificationSummary {
    var snapshot = SnapshotChecks(tables, findings)
    try snapshot.run { progress.tell(.start) }
    try progress.throwIfEnded()
    var verification = Verification(id, snapshot, tables, findings)
    var reached = Position.start
    let tick = { progress.tell(reached) }
    try verification.run(tick) { position in
      for finding in findings.take() { try report(finding) }
      reached = position
      progress.tell(position)
      try progress.throwIfEnded()
    }
    return verification.summary
  }
}

/// The progress of a verification, which its caller may end at a step that cannot throw.
private final class Interruptible {
  private let report: (Position) throws -> Void
  private var interruption: (any Error)?

  init(_ report: @escaping (Position) throws -> Void) { self.report = report }

  func tell(_ position: Position) {
    guard interruption == nil else { return }
    do { try report(position) } catch { interruption = error }
  }

  /// Tells of the progress.
  ///
  /// - Returns: Whether the caller wants the verification to go on.
  func goesOn(at position: Position) -> Bool {
    tell(position)
    return interruption == nil
  }

  func throwIfEnded() throws {
    if let interruption { throw interruption }
  }
}
