extension CompactionPlan {
  /// Counts what compaction would fold and delete.
  ///
  /// - Parameters:
  ///   - retention: Which records it would remove.
  ///   - source: Where the events and the snapshot are; nothing is written.
  ///   - ledger: The ledger's id, for the name of the archive.
  ///   - progress: Called now and then with the position reached.
  init(
    _ policy: CompactionPolicy, _ retention: RetentionPlan, now: Timestamp,
    of source: any LedgerSource, ledger: LedgerID,
    progress: (Position) -> Void = { _ in }
  ) throws(LedgerError) {
    let summary = try source.snapshotSummary()
    let head = try source.head()
    var deletion = EventDeletion.Step(through: summary.deletedThrough)
    if let limits = policy.limits(head: head, now: now) {
      deletion = try EventDeletion.count(in: source, within: limits, progress: progress)
    }
    self.init(
      policy: policy, time: now, head: head, snapshotPosition: summary.position,
      eventsToFold: Int(clamping: head.rawValue - min(summary.position, head).rawValue),
      recordsToRemove: retention.removedCount, recordsNeeded: retention.neededCount,
      eventsToDelete: deletion.eventCount, bytesToDelete: deletion.byteCount,
      deletedThrough: deletion.through,
      archivePath: deletion.eventCount == 0
        ? nil : policy.archivePath(of: ledger, after: summary, through: deletion.through))
  }
}

extension CompactionPolicy {
  /// Which events may be deleted; `nil` for none.
  func limits(head: Position, now: Timestamp) -> EventDeletion.Limits? {
    guard let eventRetention else { return nil }
    let kept = UInt64(max(0, minimumEventCount))
    return EventDeletion.Limits(
      position: Position(rawValue: head.rawValue - min(head.rawValue, kept)),
      time: now + (.zero - eventRetention))
  }

  /// Records that ended later than this stay; `nil` if all do.
  func recordCutoff(now: Timestamp) -> Timestamp? {
    recordRetention.map { now + (.zero - $0) }
  }
}
