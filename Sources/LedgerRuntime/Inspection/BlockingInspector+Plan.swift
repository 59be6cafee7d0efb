extension BlockingInspector {
  /// Previews a compaction without performing it or writing anything.
  ///
  /// It sees the ledger as it was when it began. Writers continue meanwhile, but the space that they free is
  /// reused only after it finishes.
  ///
  /// - Parameters:
  ///   - policy: The events and records that compaction would keep.
  ///   - now: The time from which ages are measured.
  ///   - progress: Called periodically with the position reached. It must not use a ledger.
  /// - Throws: ``LedgerError`` with `corrupt`: verify the ledger, and restore it from a copy; with `closed`
  ///   if the inspection is closed, even during the call: begin another; `ioFailure`.
  /// - Complexity: O(events since the snapshot + events to delete + entries of lists).
  package func plan(
    _ policy: CompactionPolicy = CompactionPolicy(), now: Timestamp = SystemLedgerClock().now(),
    progress: (Position) -> Void = { _ in }
  ) throws(LedgerError) -> CompactionPlan {
    return try store.withView { (log) throws(LedgerError) in
      let state = try LedgerState.replayed(from: log, progress: progress)
      // The walks end early, in the part of the lists whose entities stay.
      try state.snapshot.checkCounts { progress(state.position) }
      let retention = try RetentionPlan(state, endedBy: policy.recordAge(now: now)) {
        progress(state.position)
      }
      return try CompactionPlan(
        policy, retention, now: now, of: log, ledger: id, progress: progress)
    }
  }
}
