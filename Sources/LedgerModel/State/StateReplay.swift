/// The slice-by-slice reconstruction of a state at a position: from the snapshot if it is not past the
/// position, otherwise from the first event.
package struct StateReplay: Sendable {
  private let source: any LedgerSource
  private let wanted: Position?
  /// The state under reconstruction, once the starting point is known.
  private var run: (state: LedgerState, end: Position)?

  /// - Parameter end: The position; by default, the position of the newest event.
  package init(
    of source: any LedgerSource, through end: Position? = nil
  ) {
    self.source = source
    wanted = end
  }

  /// The position of the last event applied.
  var position: Position { run?.state.position ?? .start }

  /// Applies the next events.
  ///
  /// - Returns: The state, once it has reached the position.
  /// - Throws: `invalidArgument` if there is no such event; `eventsDeleted` if the snapshot is past the
  ///   position and earlier events were deleted; `corrupt`.
  package mutating func next() throws(LedgerError) -> LedgerState? {
    var (state, end) = if let run { run } else { try begin() }
    // This makes the local variable the only reference, so that nothing is copied.
    run = nil
    do throws(LedgerError) {
      if state.position < end {
        try state.apply(eventsOf: source, through: end, limit: EventSlice.eventCount)
      }
      run = (state, end)
      return state.position == end ? state : nil
    } catch {
      // The ledger was compacted in the meantime: the newer snapshot has the missing data.
      guard error.lookAgain == .snapshotMoved || error.code == .eventsDeleted else { throw error }
      return nil
    }
  }

  private func begin() throws(LedgerError) -> (state: LedgerState, end: Position) {
    let snapshot = try SnapshotReader(source)
    let head = try source.head()
    let end = wanted ?? head
    guard end <= head else { throw .noEvent(at: end, head: head) }
    let summary = snapshot.summary
    guard end < summary.position else { return (LedgerState(snapshot: snapshot), end) }
    guard summary.deletedThrough == .start else { throw .stateDeleted(at: end, summary) }
    return (LedgerState(), end)
  }
}

extension LedgerState {
  /// Applies the next events up to `end`, at most about `limit`.
  ///
  /// - Precondition: `end` comes after ``position``.
  package mutating func apply(
    eventsOf source: any EventSource, through end: Position, limit: Int
  ) throws(LedgerError) {
    let start = position
    if snapshot.isEmpty {
      _ = try source.read(after: start, limit: limit) { (frame) throws(LedgerError) in
        try apply(frame, through: end)
      }
    } else {
      // The look-ups happen after the read, all of them together.
      var frames = FrameList()
      _ = try source.read(after: start, limit: limit) { frame in frames.append(frame) }
      let subjects = try frames.subjects(after: start) { lacks($0) }
      let found = try snapshot.excerpt(SnapshotNeeds(ids: subjects))
      let before = snapshot
      snapshot = before.knowing(found)
      defer { snapshot = before }
      try frames.forEachFrame { (frame) throws(LedgerError) in try apply(frame, through: end) }
    }
    guard position > start else { throw .missingEvents(after: start) }
  }

  private mutating func apply(
    _ frame: FrameView, through end: Position
  ) throws(LedgerError) {
    try frame.forEachEvent(after: position) { (event) throws(LedgerError) in
      if event.position <= end { try apply(event) }
    }
  }

  /// Rebuilds the state at a position.
  ///
  /// - Parameters:
  ///   - source: The source of the events and the snapshot.
  ///   - end: The position; by default, the position of the newest event.
  ///   - progress: Called now and then with the position reached.
  /// - Throws: The errors of ``StateReplay/next()``.
  /// - Complexity: O(events applied) in time, O(entities that they change) in memory.
  package static func replayed(
    from source: any LedgerSource, through end: Position? = nil,
    progress: (Position) -> Void = { _ in }
  ) throws(LedgerError) -> LedgerState {
    var replay = StateReplay(of: source, through: end)
    while true {
      if let state = try replay.next() { return state }
      progress(replay.position)
    }
  }
}

extension LedgerError {
  package static func noEvent(at position: Position, head: Position) -> LedgerError {
    LedgerError(
      .invalidArgument,
      "There is no event at position \(position): the last one has position \(head).")
  }

  fileprivate static func stateDeleted(
    at position: Position, _ summary: SnapshotSummary
  ) -> LedgerError {
    LedgerError(
      .eventsDeleted,
      "The state at position \(position) cannot be rebuilt: the snapshot is at position \(summary.position), and the events up to position \(summary.deletedThrough) were deleted. Ask for position \(summary.position) or later, or import the archives of the deleted events.",
      cause: DeletedEvents(through: summary.deletedThrough))
  }
}
