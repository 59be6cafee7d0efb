import LedgerRuntime

/// The way through everything in a state.
struct StateWalk {
  let moment: RecordList.Moment
  let includesEnded: Bool

  /// Passes on each thing until `body` returns `false`.
  func forEachEntry(_ body: (StateEntry) throws -> Bool) throws {
    var goesOn = true
    func pass(_ entry: StateEntry) throws -> Bool {
      goesOn = try body(entry)
      return goesOn
    }
    try forEachPromise(pass)
    if goesOn { try forEachJointAndWork(pass) }
    if goesOn { try forEachHandler(pass) }
    if goesOn { try forEachSession(pass) }
  }

  private func forEachPromise(_ body: (StateEntry) throws -> Bool) throws {
    var goesOn = true
    func pass(_ record: PromiseRecord) throws -> Bool {
      let shown = Record(
        record, isStale: try moment.replayed.isStale(record),
        isOverdue: record.isOverdue(at: moment.now))
      goesOn = try body(StateEntry(record, shown))
      return goesOn
    }
    if includesEnded {
      // What needs no consumption, such as work, has ended when it is settled.
      try moment.replayed.forEachEndedPromise(progress: moment.alive, pass)
    }
    guard goesOn else { return }
    try moment.replayed.forEachPromise([.pending, .resolved], progress: moment.alive, pass)
  }

  private func forEachJointAndWork(_ body: (StateEntry) throws -> Bool) throws {
    var goesOn = true
    try moment.replayed.forEachJointOrOutcome(progress: moment.alive) { record in
      let shown = Record(
        record, isStale: try moment.replayed.isStale(record),
        isOverdue: record.isOverdue(at: moment.now),
        pendingInputCount: try moment.replayed.pendingInputCount(of: record))
      goesOn = try body(StateEntry(record, shown))
      return goesOn
    }
    guard goesOn else { return }
    try moment.replayed.forEachWork(at: moment.now, progress: moment.alive) { record, standing in
      try body(StateEntry(work: record, standing))
    }
  }

  private func forEachHandler(_ body: (StateEntry) throws -> Bool) throws {
    let liveness = try SessionLiveness(moment.replayed)
    try moment.replayed.forEachHandler(includesClosed: includesEnded, progress: moment.alive) {
      try body(StateEntry($0, try liveness.runners(of: $0)))
    }
  }

  private func forEachSession(_ body: (StateEntry) throws -> Bool) throws {
    try moment.replayed.forEachSession(includesEnded: includesEnded, progress: moment.alive) {
      session, presence in
      let counts = try moment.replayed.runningCounts(of: session.id)
      return try body(
        StateEntry(
          session, Liveness(session, presence), calls: counts.calls, work: counts.work))
    }
  }
}
