/// How much a ledger holds, counted without keeping it in memory.
public struct LedgerStatistics: Sendable, Hashable {
  /// The last event that was counted.
  public internal(set) var head = Position.start
  /// The writer's clock at the first and the last event.
  public internal(set) var firstTime: Timestamp?
  /// The writer's clock at the last event.
  public internal(set) var lastTime: Timestamp?
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
  /// How many sessions there were.
  public internal(set) var sessionCount = 0
  /// How many sessions have not ended, as far as the log tells.
  public internal(set) var openSessionCount = 0
  /// The space on disk.
  public internal(set) var space: Space

  /// The space on disk.
  public struct Space: Sendable, Hashable {
    /// The size of the data file in bytes.
    public let fileByteCount: Int
    /// The part of it that is free for new events, in bytes.
    public let freeByteCount: Int
    /// The tables, in the order of their names.
    public let tables: [Table]
  }

  /// One table of the store.
  public struct Table: Sendable, Hashable {
    /// Its name, as in the article *File format*.
    public let name: String
    /// How many records it has.
    public let recordCount: Int
    /// Its size in bytes, whole pages.
    public let byteCount: Int
  }
}

/// Counts event after event; it keeps the promises and sessions that are open, and nothing else.
struct StatisticsCounter {
  private(set) var statistics: LedgerStatistics
  /// Whether a promise that is neither consumed nor abandoned has its outcome.
  private var openPromises: [PromiseID: Bool] = [:]
  private var openSessions: Set<SessionID> = []
  private var lastCommit: CommitID?

  init(space: LedgerStatistics.Space) {
    statistics = LedgerStatistics(space: space)
  }

  mutating func count(_ frame: FrameView, byteCount: Int) throws(LedgerError) {
    statistics.frameCount += 1
    statistics.frameByteCount += byteCount
    if lastCommit != frame.header.commit { statistics.commitCount += 1 }
    lastCommit = frame.header.commit
    try frame.forEachEvent { event in count(event) }
  }

  private mutating func count(_ event: borrowing EventView) {
    statistics.head = event.position
    statistics.eventCount += 1
    statistics.eventCounts[event.kind, default: 0] += 1
    if statistics.firstTime == nil { statistics.firstTime = event.time }
    statistics.lastTime = event.time
    if event.attachmentByteCount > 0 {
      statistics.attachmentCount += 1
      statistics.attachmentByteCount += event.attachmentByteCount
    }
    count(change: event.kind, of: event.subject)
  }

  private mutating func count(change kind: EventKind, of subject: EntityID) {
    let promise = PromiseID(entityID: subject)
    switch kind {
    case .promiseCreated: openPromises[promise] = false
    case .promiseResolved: openPromises[promise] = true
    case .promiseConsumed, .promiseAbandoned:
      openPromises[promise] = nil
      statistics.promiseCounts[kind == .promiseConsumed ? .consumed : .abandoned, default: 0] += 1
    case .sessionOpened:
      statistics.sessionCount += 1
      openSessions.insert(SessionID(entityID: subject))
    case .sessionClosed: openSessions.remove(SessionID(entityID: subject))
    default: break
    }
  }

  mutating func finish() -> LedgerStatistics {
    let resolvedCount = openPromises.values.count { $0 }
    statistics.promiseCounts[.resolved] = resolvedCount
    statistics.promiseCounts[.pending] = openPromises.count - resolvedCount
    statistics.promiseCounts[.consumed, default: 0] += 0
    statistics.promiseCounts[.abandoned, default: 0] += 0
    statistics.openSessionCount = openSessions.count
    return statistics
  }
}
