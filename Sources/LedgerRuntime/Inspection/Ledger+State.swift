extension Ledger {
  /// The state of the ledger as of the event at `position`.
  ///
  /// A state before the snapshot is rebuilt from the first event, which requires that no event was deleted.
  /// While the ledger is frozen or closed, reading from the state fails with `closed`.
  ///
  /// - Parameter position: The last event to apply; by default the newest.
  /// - Throws: ``LedgerError`` with `eventsDeleted` if the events that it needs were deleted,
  ///   `invalidArgument` if there is no such event, `corrupt`, `closed`; `CancellationError`.
  /// - Complexity: O(events applied) in time, O(entities that they change) in memory.
  public func state(at position: Position? = nil) async throws -> ReplayedLedger {
    try await engine.runBlocking { try await rebuilt(through: position) }
  }

  private func rebuilt(through position: Position?) async throws -> ReplayedLedger {
    let source = SessionSource(engine: engine)
    var replay = StateReplay(of: source, through: position)
    while true {
      try Task.checkCancellation()
      _ = try await engine.openStore()
      do throws(LedgerError) {
        if let state = try replay.next() {
          return ReplayedLedger(state, of: source, registry: engine.setup.sessions)
        }
      } catch {
        // The session froze in the meantime.
        guard error.code == .closed else { throw error }
        replay = StateReplay(of: source, through: position)
      }
      await Task.yield()
    }
  }
}

/// The events and the snapshot of a session's ledger, while the session is open.
private struct SessionSource: ForwardingSource {
  let engine: LedgerEngine

  func withSource<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try body(try engine.currentStore)
  }
}
