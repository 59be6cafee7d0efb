extension LedgerInspector {
  /// What compaction would do now, without doing it and without writing anything.
  ///
  /// - Parameters:
  ///   - policy: What compaction would keep.
  ///   - now: The time that ages are counted from.
  ///   - progress: Called now and then with the position that replay reached.
  /// - Throws: ``LedgerError`` with `corrupt`; with `eventsCompacted` if the ledger was compacted
  ///   meanwhile: plan again.
  /// - Complexity: O(events since the snapshot + events to delete + open entities).
  public func plan(
    _ policy: CompactionPolicy = CompactionPolicy(), now: Timestamp = SystemLedgerClock().now(),
    progress: (Position) -> Void = { _ in }
  ) throws(LedgerError) -> CompactionPlan {
    let cutoff = policy.recordCutoff(now: now)
    let replayed = try replay(progress: progress)
    let retention = try replayed.reading { (state) throws(LedgerError) in
      try RetentionPlan(state, endedBy: cutoff) { progress(replayed.position) }
    }
    return try CompactionPlan(policy, retention, now: now, of: log, ledger: id)
  }
}
