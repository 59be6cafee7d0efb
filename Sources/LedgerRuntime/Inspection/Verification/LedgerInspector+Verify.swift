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
  /// It sees the ledger as it was when it began, as ``replay()`` does.
  ///
  /// - Parameter report: Gets every finding, on the inspection's thread; those about the snapshot first, then
  ///   in the order of positions. It must not read the ledger.
  /// - Throws: ``LedgerError`` if the ledger cannot be read for another reason than damage, with
  ///   `closed` if the inspection is closed while pages are looked at; what `report` throws;
  ///   `CancellationError`.
  /// - Complexity: O(events + records) in time, O(entities) in memory; O(entities that kept events
  ///   change) if events were deleted.
  public func verify(
    _ report: @escaping @Sendable (VerificationFinding) throws -> Void
  ) async throws -> VerificationSummary {
    try await run { try $0.verify(report) }
  }
}
