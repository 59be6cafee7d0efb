extension ReplayedLedger {
  /// Visits sessions: first those that ended, in the order of their ends, then the others, in the order of their
  /// ids.
  ///
  /// - Parameters:
  ///   - includesEnded: Whether to visit sessions that ended.
  ///   - progress: Called periodically. It must not use a ledger.
  ///   - body: Receives each record and whether its process is there; returning `false` ends the walk.
  /// - Throws: ``LedgerError`` with `corrupt`; with `eventsDeleted` if the ledger was compacted past
  ///   ``position`` meanwhile; and any error that `body` throws.
  /// - Complexity: O(sessions that have not ended), or O(all sessions) if ended ones are included.
  package func forEachSession(
    includesEnded: Bool = false, progress: () -> Void = {},
    _ body: (SessionRecord, SessionRecord.Presence) throws -> Bool
  ) throws {
    var isOver = false
    if includesEnded {
      try forEachEntity(on: [.closed(.session)], progress: progress) { entity in
        guard case .session(let session) = entity else { return true }
        isOver = try !body(session, .gone)
        return !isOver
      }
    }
    guard !isOver else { return }
    let open = try reading { (state) throws(LedgerError) in try state.openSessions() }
    let presences = try registry.presences(of: open)
    for session in open {
      guard try body(session, presences[session.id]) else { return }
    }
  }

  /// The numbers of handler calls and of works that a session runs, according to the log.
  ///
  /// - Throws: As ``record(of:)-(PromiseID)``.
  /// - Complexity: O(what it runs).
  package func runningCounts(
    of session: SessionID
  ) throws(LedgerError) -> (calls: Int, work: Int) {
    try reading { (state) throws(LedgerError) in
      var calls = 0
      for handler in try state.runningHandlers(of: session) {
        calls += handler.openCalls.values.count { $0.runningSession == session }
      }
      return (calls, try state.runningWork(of: session).count)
    }
  }
}
