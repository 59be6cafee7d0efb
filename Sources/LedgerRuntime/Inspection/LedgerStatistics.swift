/// How much a ledger holds.
public struct LedgerStatistics: Sendable, Hashable {
  /// The last event that was counted.
  public internal(set) var head = Position.start
  /// The writer's clock at the first and the last event.
  public internal(set) var firstTime: Timestamp?
  /// The writer's clock at the last event.
  public internal(set) var lastTime: Timestamp?
  /// The newest time of any event, also of those that were deleted. If it is still to come, a clock
  /// was wrong: that of the event's writer, or the one that it is compared with.
  public internal(set) var newestTime: Timestamp?
  /// Events up to here were deleted by compaction; the counts of events are about those after it.
  public internal(set) var deletedThrough = Position.start
  /// The position of the snapshot that older events are folded into.
  public internal(set) var snapshotPosition = Position.start
  /// How many events there are.
  public internal(set) var eventCount = 0
  /// How many events of each kind.
  public internal(set) var eventCounts: [EventKind: Int] = [:]
  /// How many commits wrote them.
  public internal(set) var commitCount = 0
  /// How many records of the log they are packed into.
  public internal(set) var frameCount = 0
  /// The size of these records in bytes.
  public internal(set) var frameByteCount = 0
  /// How many values are stored beside their events because they are large.
  public internal(set) var attachmentCount = 0
  /// The size of these values in bytes.
  public internal(set) var attachmentByteCount = 0
  /// How many promises stand where.
  public internal(set) var promiseCounts: [PromiseRecord.Status: Int] = [:]
  /// How many handlers can still be called, or have a call that is not finished.
  public internal(set) var openHandlerCount = 0
  /// How many other handlers there are.
  public internal(set) var closedHandlerCount = 0
  /// How many sessions there are, without those whose records were removed.
  public internal(set) var sessionCount = 0
  /// How many snapshot records a later version of the library wrote, which this one neither reads nor
  /// changes. Update the library; until then no records are removed.
  public internal(set) var unsupportedRecordCount = 0
  /// How many sessions have not ended, as far as the log tells.
  public internal(set) var openSessionCount = 0
}

extension LedgerStatistics {
  init(_ summary: SnapshotSummary) {
    head = summary.position
    deletedThrough = summary.deletedThrough
    snapshotPosition = summary.position
    unsupportedRecordCount = Int(clamping: summary.counts.opaque)
  }

  /// Counts the events of a frame.
  mutating func count(
    _ frame: FrameView, of commit: inout CommitID?
  ) throws(LedgerError) {
    frameCount += 1
    frameByteCount += frame.header.byteCount
    if commit != frame.header.commit { commitCount += 1 }
    commit = frame.header.commit
    try frame.forEachEvent { event in count(event) }
  }

  private mutating func count(_ event: borrowing EventView) {
    head = event.position
    eventCount += 1
    eventCounts[event.kind, default: 0] += 1
    if firstTime == nil { firstTime = event.time }
    lastTime = event.time
    if event.attachmentByteCount > 0 {
      attachmentCount += 1
      attachmentByteCount += event.attachmentByteCount
    }
  }

  /// Counts the entities that there are at a position, each in the one list that it stands in.
  ///
  /// - Parameter progress: Called now and then.
  mutating func count(_ replayed: ReplayedLedger, progress: () -> Void) throws {
    if replayed.position > .start { newestTime = replayed.newestTime }
    promiseCounts = [.pending: 0, .resolved: 0, .consumed: 0, .abandoned: 0]
    let paths: [EntityWalk.Path] = [.closed(nil), .openPromises, .openHandlers]
    try replayed.forEachEntity(on: paths, progress: progress) { entity in
      count(entity)
      return true
    }
    openSessionCount = try replayed.openSessionCount()
    sessionCount += openSessionCount
  }

  private mutating func count(_ entity: LedgerEntity) {
    switch entity {
    case .promise(let promise): promiseCounts[promise.status, default: 0] += 1
    case .handler where entity.isOpen: openHandlerCount += 1
    case .handler: closedHandlerCount += 1
    case .session: sessionCount += 1
    // Counted by the snapshot.
    case .opaque: break
    }
  }
}
