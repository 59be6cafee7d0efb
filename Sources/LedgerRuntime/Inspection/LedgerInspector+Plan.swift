extension LedgerInspector {
  /// What compaction would do now, without doing it and without writing anything.
  ///
  /// It sees the ledger as it is when it begins. Writers go on meanwhile, but space that they free is
  /// used again only when it is over.
  ///
  /// - Parameters:
  ///   - policy: What compaction would keep.
  ///   - now: The time that ages are counted from.
  ///   - progress: Called now and then with the position reached. It must not use a ledger.
  /// - Throws: ``LedgerError`` with `corrupt`: verify the ledger, and restore it from a copy; with `closed`
  ///   if the inspection is closed, also meanwhile: begin another; `ioFailure`.
  /// - Complexity: O(events since the snapshot + events to delete + entries of lists).
  public func plan(
    _ policy: CompactionPolicy = CompactionPolicy(), now: Timestamp = SystemLedgerClock().now(),
    progress: (Position) -> Void = { _ in }
  ) throws(LedgerError) -> CompactionPlan {
    return try store.withView { (log) throws(LedgerError) in
      let state = try LedgerState.replayed(from: log, progress: progress)
      // The walks end early, where lists are about what is to stay.
      try state.snapshot.checkCounts { progress(state.position) }
      let retention = try RetentionPlan(state, endedBy: policy.recordAge(now: now)) {
        progress(state.position)
      }
      return try CompactionPlan(
        policy, retention, now: now, of: log, ledger: id, progress: progress)
    }
  }
}
