extension BlockingInspector {
  /// Replays the events.
  ///
  /// It sees the ledger as it was when it began. Writers continue meanwhile, but the space that they free is
  /// reused only after it finishes.
  ///
  /// - Parameter progress: Called periodically with the position reached. It must not use a ledger.
  /// - Throws: ``LedgerError`` with `corrupt`: verify the ledger, and restore it from a copy; with `closed`
  ///   if the inspection is closed, even during the call: begin another; `ioFailure`.
  /// - Complexity: O(events since the snapshot) in time, O(entities that they change) in memory.
  package func replay(
    progress: (Position) -> Void = { _ in }
  ) throws(LedgerError) -> ReplayedLedger {
    try replay(through: nil, progress)
  }

  /// The state of the ledger as of the event at `position`.
  ///
  /// It sees the ledger as it was when it began, as ``replay(progress:)`` does. A state before the snapshot
  /// is rebuilt from the first event, which requires that no event was deleted.
  ///
  /// - Parameters:
  ///   - position: The last event to apply.
  ///   - progress: Called periodically with the position reached. It must not use a ledger.
  /// - Throws: As ``replay(progress:)``; also ``LedgerError`` with `eventsDeleted` if the events that it
  ///   needs were deleted: ask for a later position, or import the archives of these events; with
  ///   `invalidArgument` if there is no such event.
  /// - Complexity: O(events applied) in time, O(entities that they change) in memory.
  package func state(
    at position: Position, progress: (Position) -> Void = { _ in }
  ) throws(LedgerError) -> ReplayedLedger {
    try replay(through: position, progress)
  }

  /// Runs `body` on the state that the events replay to, all in one view. Compaction removes nothing from
  /// that view, and the space that writers free is reused only after `body` returns.
  ///
  /// In an earlier state, sessions that had not ended count as alive: nothing tells which processes were there.
  ///
  /// - Parameters:
  ///   - position: The last event to apply; by default the newest.
  ///   - progress: Called periodically with the position reached. It must not use a ledger.
  ///   - body: Receives the state, which is valid only until `body` returns and only on its thread.
  /// - Throws: As ``state(at:progress:)``, and any error that `body` throws.
  package func withReplay<R>(
    through position: Position? = nil, progress: (Position) -> Void = { _ in },
    _ body: (ReplayedLedger) throws -> R
  ) throws -> R {
    try store.withPinnedView { view in
      try body(try replayed(from: view, through: position, progress))
    }
  }

  /// Runs `body` on two states of the ledger, both in one view, as ``withReplay(through:progress:_:)`` does.
  ///
  /// - Throws: As ``withReplay(through:progress:_:)``.
  package func withReplays<R>(
    through first: Position?, _ second: Position?, progress: (Position) -> Void = { _ in },
    _ body: (ReplayedLedger, ReplayedLedger) throws -> R
  ) throws -> R {
    try store.withPinnedView { view in
      try body(
        try replayed(from: view, through: first, progress),
        try replayed(from: view, through: second, progress))
    }
  }

  private func replayed(
    from view: any LedgerSource, through position: Position?, _ progress: (Position) -> Void
  ) throws(LedgerError) -> ReplayedLedger {
    let state = try LedgerState.replayed(from: view, through: position, progress: progress)
    return ReplayedLedger(
      state, of: view, registry: position == nil ? store.sessions : UnwatchedSessions())
  }

  private func replay(
    through end: Position?, _ progress: (Position) -> Void
  ) throws(LedgerError) -> ReplayedLedger {
    let state = try store.withView { (view) throws(LedgerError) in
      try LedgerState.replayed(from: view, through: end, progress: progress)
    }
    return ReplayedLedger(state, of: store, registry: store.sessions)
  }
}
