extension ReplayedLedger {
  /// Visits pending work in the order of its creation, each with its state.
  ///
  /// Large values are not read.
  ///
  /// - Parameters:
  ///   - now: The time for which the states hold.
  ///   - progress: Called periodically, even while no match is found. It must not use a ledger.
  ///   - body: Receives each record and state; returning `false` ends the walk.
  /// - Throws: ``LedgerError`` with `corrupt`; with `eventsDeleted` if the ledger was compacted past
  ///   ``position`` meanwhile; and any error that `body` throws.
  /// - Complexity: O(open work).
  public func forEachWork(
    at now: Timestamp, progress: () -> Void = {},
    _ body: (PromiseRecord, WorkStanding) throws -> Bool
  ) throws {
    let presences = try sessionPresences()
    try forEachEntity(on: [.openWork], progress: progress) { entity in
      guard case .promise(let promise) = entity,
        let standing = try standing(of: promise, at: now, presences),
        let record = try naming(PromiseRecord(promise, try promise.creation(), outcome: nil))
      else { return true }
      return try body(record, standing)
    }
  }

  /// Visits the open promises that code or other promises settle and that are no pending work, in the order of
  /// their creation: joints, and outcomes of work that the app has not consumed.
  ///
  /// - Parameters:
  ///   - progress: Called periodically, even while no match is found. It must not use a ledger.
  ///   - body: Receives each record; returning `false` ends the walk.
  /// - Throws: As ``forEachWork(at:progress:_:)``.
  /// - Complexity: O(open work and joints).
  package func forEachJointOrOutcome(
    progress: () -> Void = {}, _ body: (PromiseRecord) throws -> Bool
  ) throws {
    try forEachEntity(on: [.openWork], progress: progress) { entity in
      guard case .promise(let promise) = entity, promise.isJoint || promise.status == .resolved,
        let record = try naming(promise.smallRecord)
      else { return true }
      return try body(record)
    }
  }

  /// The state of pending work; `nil` for any other promise.
  func standing(
    of work: PromiseEntity, at now: Timestamp, _ presences: SessionPresences
  ) throws(LedgerError) -> WorkStanding? {
    try work.workStanding(at: now, presences) { (id) throws(LedgerError) in
      try reading { (state) throws(LedgerError) in try state.readablePromise(id) }
    }
  }

  /// The sessions that have not ended, and whether their processes are there.
  ///
  /// - Throws: As ``record(of:)-(PromiseID)``.
  package func sessionPresences() throws(LedgerError) -> SessionPresences {
    let open = try reading { (state) throws(LedgerError) in try state.openSessions() }
    return try registry.presences(of: open)
  }
}

extension SessionRegistry {
  /// Checks which processes of sessions that have not ended are there.
  func presences(of open: [SessionEntity]) throws(LedgerError) -> SessionPresences {
    let presences = try findings(of: open).map(\.presence)
    return SessionPresences(Dictionary(zip(open.map(\.id), presences)) { first, _ in first })
  }
}

extension SessionFinding {
  fileprivate var presence: SessionRecord.Presence {
    switch self {
    case .alive: .alive
    case .frozen: .frozen
    case .dead: .gone
    }
  }
}
