extension LedgerInspector {
  /// Checks the whole ledger and reports every problem: damaged bytes, missing events, broken rules
  /// and contradictions.
  ///
  /// The check covers the structure of every page of the data file, the checksum of every record of
  /// the log and of the snapshot, that no event is missing, that commits are complete and payloads
  /// are readable, that entities followed the rules of their lifecycles, that everything an event
  /// refers to exists, that every value stored beside an event is complete, and that the snapshot
  /// and its lists match the events.
  ///
  /// It continues after damage as far as possible and skips only the checks that depend on lost events. If
  /// the structure of a page is damaged, that is the only finding, because reading on could crash the process
  /// inside LMDB.
  ///
  /// It sees the ledger as it was when it began, as ``replay()`` does.
  ///
  /// - Parameter report: Gets every finding, on the inspection's thread; those about the snapshot first, then
  ///   in the order of positions. It must not read the ledger.
  /// - Throws: ``LedgerError`` if the ledger cannot be read for a reason other than damage, with `closed` if
  ///   the inspection is closed while pages are checked; what `report` throws; `CancellationError`.
  /// - Complexity: O(events + records) in time, O(entities) in memory; O(entities that kept events
  ///   change) if events were deleted.
  public func verify(
    _ report: @escaping @Sendable (VerificationFinding) throws -> Void
  ) async throws -> VerificationSummary {
    try await run { try $0.verify(report) }
  }
}
