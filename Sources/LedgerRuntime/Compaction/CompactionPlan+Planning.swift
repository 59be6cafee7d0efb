extension CompactionPlan {
  /// Plans a compaction of the ledger of a session in its current state.
  init(_ policy: CompactionPolicy, of engine: LedgerEngine) async throws {
    let now = try await engine.withStore { store in
      try engine.catchUp(store)
      return engine.now(store)
    }
    let retention = try await engine.read(fromCopy: true) { state in
      try RetentionPlan(state, endedBy: policy.recordAge(now: now))
    }
    self = try await engine.withStore { store in
      try CompactionPlan(policy, retention, now: now, of: store, ledger: store.ledgerID)
    }
  }

  /// Counts the events and records that compaction would fold, remove and delete.
  ///
  /// - Parameters:
  ///   - retention: The records that it would remove.
  ///   - source: The source of the events and the snapshot; nothing is written.
  ///   - ledger: The ledger's id, for the name of the archive.
  ///   - progress: Called periodically with the position reached.
  init(
    _ policy: CompactionPolicy, _ retention: RetentionPlan, now: Timestamp,
    of source: any LedgerSource, ledger: LedgerID,
    progress: (Position) -> Void = { _ in }
  ) throws(LedgerError) {
    let summary = try source.snapshotSummary()
    let head = try source.head()
    var deletion = EventDeletion.Step(through: summary.deletedThrough)
    if let age = policy.eventAge(now: now) {
      var aged = policy.agedEvents(age, after: summary.deletedThrough, head: head)
      while try aged.next(of: source) { progress(aged.last) }
      deletion = try EventDeletion.count(in: source, through: aged.last, progress: progress)
    }
    self.init(
      policy: policy, time: now, head: head, snapshotPosition: summary.position,
      eventsToFold: summary.position.count(to: head),
      recordsToRemove: retention.removedCount, recordsNeeded: retention.neededCount,
      unsupportedRecords: Int(clamping: summary.counts.opaque),
      eventsToDelete: deletion.eventCount, bytesToDelete: deletion.byteCount,
      deletedThrough: deletion.through,
      archivePath: deletion.eventCount == 0
        ? nil
        : policy.archiveDirectory.map {
          EventArchive.path(in: $0, of: ledger, after: summary, through: deletion.through)
        })
  }
}
