extension LedgerState {
  private static let sliceEventCount = 10_000

  /// Rebuilds the state at a position, from the snapshot if it is not further on, else from the first
  /// event.
  ///
  /// - Parameters:
  ///   - source: Where the events and the snapshot are.
  ///   - end: The position; by default that of the newest event.
  ///   - progress: Called now and then with the position reached.
  /// - Throws: `invalidArgument` if there is no such event; `eventsCompacted` if the snapshot is further
  ///   on and events before it were deleted; `corrupt`.
  /// - Complexity: O(events applied) in time, O(entities that they change) in memory.
  static func replayed(
    from source: some EventSource & SnapshotSource & Sendable, through end: Position? = nil,
    progress: (Position) -> Void = { _ in }
  ) throws(LedgerError) -> LedgerState {
    while true {
      let snapshot = try SnapshotReader(source)
      let head = try source.head()
      let end = end ?? head
      guard end <= head else { throw .noEvent(at: end, head: head) }
      let summary = snapshot.summary
      var state = LedgerState(snapshot: snapshot)
      if end < summary.position {
        guard summary.deletedThrough == .start else {
          throw .stateCompacted(at: end, summary)
        }
        state = LedgerState()
      }
      do throws(LedgerError) {
        try state.apply(eventsOf: source, through: end, progress)
        return state
      } catch {
        // The ledger was compacted meanwhile: the newer snapshot has what is missing.
        guard error.code == .snapshotMoved || error.code == .eventsCompacted else { throw error }
      }
    }
  }

  private mutating func apply(
    eventsOf source: some EventSource, through end: Position, _ progress: (Position) -> Void
  ) throws(LedgerError) {
    while position < end {
      let start = position
      _ = try source.read(after: start, limit: Self.sliceEventCount) {
        (frame) throws(LedgerError) in
        try frame.forEachEvent(after: position) { (event) throws(LedgerError) in
          if event.position <= end { try apply(event) }
        }
      }
      guard position > start else { throw .missingEvents(after: start) }
      progress(position)
    }
  }
}

extension LedgerError {
  static func noEvent(at position: Position, head: Position) -> LedgerError {
    LedgerError(
      .invalidArgument,
      "There is no event at position \(position): the last one has position \(head).")
  }

  fileprivate static func stateCompacted(
    at position: Position, _ summary: SnapshotSummary
  ) -> LedgerError {
    LedgerError(
      .eventsCompacted,
      "The state at position \(position) cannot be rebuilt: the snapshot is at position \(summary.position), and the events up to position \(summary.deletedThrough) were deleted. Ask for position \(summary.position) or later, or import the archives of the deleted events.",
      cause: EventsCompacted(through: summary.deletedThrough))
  }
}
