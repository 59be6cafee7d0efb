/// Counts and sizes of the contents of a ledger.
public struct LedgerStatistics: Sendable, Hashable {
  /// The last event that was counted.
  public internal(set) var head = Position.start
  /// The writer's clock at the first event.
  public internal(set) var firstTime: Timestamp?
  /// The writer's clock at the last event.
  public internal(set) var lastTime: Timestamp?
  /// The newest time of any event, including deleted ones.
  ///
  /// If it lies in the future, a clock is or was wrong: that of the event's writer, or the one that
  /// it is compared with.
  public internal(set) var newestTime: Timestamp?
  /// Events up to here were deleted by compaction; the event counts cover only later events.
  public internal(set) var deletedThrough = Position.start
  /// The position of the snapshot, into which older events are folded.
  public internal(set) var snapshotPosition = Position.start
  /// The number of events.
  public internal(set) var eventCount = 0
  /// The number of events of each kind.
  public internal(set) var eventCounts: [EventKind: Int] = [:]
  /// The number of commits that wrote them.
  public internal(set) var commitCount = 0
  /// The number of log records that they are packed into.
  public internal(set) var frameCount = 0
  /// The total size of these records, in bytes.
  public internal(set) var frameByteCount = 0
  /// The number of values that are stored beside their events because they are large.
  public internal(set) var attachmentCount = 0
  /// The total size of these values, in bytes.
  public internal(set) var attachmentByteCount = 0
  /// The number of promises by status.
  public internal(set) var promiseCounts: [PromiseRecord.Status: Int] = [:]
  /// The number of handlers that can still be called, or have an unfinished call.
  public internal(set) var openHandlerCount = 0
  /// The number of all other handlers.
  public internal(set) var closedHandlerCount = 0
  /// The number of sessions, without those whose records were removed.
  public internal(set) var sessionCount = 0
  /// The number of snapshot records that a later version of the library wrote.
  ///
  /// This version neither reads nor changes them. Update the library; until then no records are
  /// removed.
  public internal(set) var unsupportedRecordCount = 0
  /// The number of sessions that have not ended, according to the log.
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

  /// Counts the entities that exist at a position, each in the one list that holds it.
  ///
  /// - Parameter progress: Called periodically.
  mutating func count(_ replayed: ReplayedLedger, progress: () -> Void) throws {
    if replayed.position > .start { newestTime = replayed.newestTime }
    promiseCounts = [.pending: 0, .resolved: 0, .consumed: 0, .abandoned: 0]
    let paths: [EntityWalk.Path] = [.closed(nil), .openPromises, .openHandlers, .openWork]
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
