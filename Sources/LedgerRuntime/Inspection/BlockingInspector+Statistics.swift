extension BlockingInspector {
  /// Counts the events, entities and bytes of the ledger.
  ///
  /// It sees the ledger as it was when it began. Writers continue meanwhile, but the space that they free is
  /// reused only after it finishes.
  ///
  /// - Parameter progress: Called periodically with the position reached. It must not use a ledger.
  /// - Throws: ``LedgerError`` with `corrupt` at damaged events: verify the ledger, and restore it from a
  ///   copy; with `closed` if the inspection is closed, even during the call: begin another; `ioFailure`.
  /// - Complexity: O(events + entities + pages of the file) in time, O(entities that changed since the
  ///   snapshot) in memory.
  package func statistics(
    progress: (Position) -> Void = { _ in }
  ) throws -> LedgerStatistics {
    try statistics(includesEvents: true, progress)
  }

  /// Checks that nothing is missing, so that an entity that is not found never existed: checks every page of
  /// the file, and every entry that the lists and counts of the snapshot promise.
  ///
  /// - Parameter progress: Called periodically. It must not use a ledger.
  /// - Throws: As ``statistics(progress:)``.
  /// - Complexity: O(pages of the file + entities + events since the snapshot).
  package func requireWhole(progress: () -> Void) throws {
    _ = try statistics(includesEvents: false) { _ in progress() }
  }

  private func statistics(
    includesEvents: Bool, _ progress: (Position) -> Void
  ) throws -> LedgerStatistics {
    // A table that lacks entries can be read, but not counted.
    let miscount = try store.checkStructure {
      progress(.start)
      return true
    }
    if let miscount { throw miscount }
    return try store.withView { (log) throws(LedgerError) in
      try LedgerError.mapping { try statistics(of: log, includesEvents, progress) }
    }
  }

  private func statistics(
    of log: any LedgerSource, _ includesEvents: Bool, _ progress: (Position) -> Void
  ) throws -> LedgerStatistics {
    var statistics = LedgerStatistics(try log.snapshotSummary())
    let replayed = ReplayedLedger(
      try .replayed(from: log, progress: progress), of: log, registry: store.sessions)
    var position = statistics.deletedThrough
    var commit: CommitID?
    while includesEvents, position < replayed.position {
      position = try log.read(after: position, limit: EventSlice.eventCount) {
        (frame) throws(LedgerError) in
        try statistics.count(frame, of: &commit)
      }
      progress(position)
    }
    try statistics.count(replayed) { progress(position) }
    try SnapshotReader(log).checkCounts { progress(position) }
    if includesEvents { try statistics.checkFrameCount(of: log) }
    return statistics
  }
}

extension LedgerStatistics {
  /// Compares the counted frames with the count that the table reports.
  ///
  /// - Throws: `corrupt` if they differ.
  fileprivate func checkFrameCount(of log: any LedgerSource) throws(LedgerError) {
    let count = try log.readSnapshot { (tables) throws(LedgerError) in
      try tables.entryCount(of: .log)
    }
    guard count != frameCount else { return }
    throw LedgerError(
      .corrupt,
      "The table log should hold \(count) records, but \(frameCount) can be reached. Restore the ledger from a copy."
    )
  }
}
