/// Computes the digests that make an archive a recording, slice by slice.
struct RecordedStates: Sendable {
  /// The maximum number of digests.
  static let maximumCount = 1_000
  /// The maximum number of records that all digests together hash, as far as events change them.
  private static let recordLimit = 1_000_000
  /// The number of events up to which they are replayed from the first.
  private static let wholeReplayLimit = 100_000

  private var state: LedgerState
  private var wanted: ArraySlice<Position>
  private let isRedacted: Bool
  private(set) var states: [ArchivedState] = []

  /// - Parameter source: The ledger, whose snapshot must not move until the digests are complete.
  init(of source: any LedgerSource, isRedacted: Bool = false) throws(LedgerError) {
    let snapshot = try SnapshotReader(source)
    let head = try source.head()
    let isWhole =
      snapshot.summary.deletedThrough == .start && head.rawValue <= Self.wholeReplayLimit
    state = isWhole ? LedgerState() : LedgerState(snapshot: snapshot)
    let count = state.position.distance(to: head)
    let limit = min(Self.maximumCount, max(1, Self.recordLimit / max(1, count)))
    wanted = Position.spread(after: state.position, through: head, count: limit)[...]
    self.isRedacted = isRedacted
  }

  /// The last position that is recorded.
  var end: Position { wanted.last ?? states.last?.position ?? state.position }

  /// Continues.
  ///
  /// - Returns: The digests, once they are complete.
  mutating func next(from source: any LedgerSource) throws(LedgerError) -> ArchiveRecording? {
    guard let next = wanted.first else {
      return ArchiveRecording(isRedacted: isRedacted, states: states)
    }
    if state.position < next {
      try state.apply(eventsOf: source, through: next, limit: EventSlice.eventCount)
    }
    if state.position == next {
      states.append(ArchivedState(position: next, digest: try state.digest()))
      wanted.removeFirst()
    }
    return nil
  }
}

extension Position {
  /// At most `count` positions, spread evenly and including the last.
  package static func spread(
    after first: Position, through last: Position, count: Int
  ) -> [Position] {
    let total = last.rawValue - min(first.rawValue, last.rawValue)
    let count = min(UInt64(max(1, count)), total)
    guard count > 0 else { return [last] }
    return (1...count).map { Position(rawValue: first.rawValue + total * $0 / count) }
  }
}
