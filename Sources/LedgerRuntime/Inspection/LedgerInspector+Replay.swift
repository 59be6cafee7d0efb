extension LedgerInspector {
  /// Replays the events.
  ///
  /// It sees the ledger as it is when it begins. Writers go on meanwhile, but space that they free is
  /// used again only when it is over.
  ///
  /// - Parameter progress: Called now and then with the position reached. It must not use a ledger.
  /// - Throws: ``LedgerError`` with `corrupt`: verify the ledger, and restore it from a copy; with `closed`
  ///   if the inspection is closed, also meanwhile: begin another; `ioFailure`.
  /// - Complexity: O(events since the snapshot) in time, O(entities that they change) in memory.
  public func replay(
    progress: (Position) -> Void = { _ in }
  ) throws(LedgerError) -> ReplayedLedger {
    try replay(through: nil, progress)
  }

  /// The state that the ledger was in when the event at `position` was the newest.
  ///
  /// It sees the ledger as it is when it begins, as ``replay(progress:)`` does. A state before the snapshot
  /// is rebuilt from the first event, and so only if no event was deleted.
  ///
  /// - Parameters:
  ///   - position: The last event to be applied.
  ///   - progress: Called now and then with the position reached. It must not use a ledger.
  /// - Throws: As ``replay(progress:)``; also ``LedgerError`` with `eventsCompacted` if the events that it
  ///   takes were deleted: ask for a later position, or import the archives of these events; with
  ///   `invalidArgument` if there is no such event.
  /// - Complexity: O(events applied) in time, O(entities that they change) in memory.
  public func state(
    at position: Position, progress: (Position) -> Void = { _ in }
  ) throws(LedgerError) -> ReplayedLedger {
    try replay(through: position, progress)
  }

  /// Runs `body` on what replay makes of the events, all in one view: no compaction takes anything away
  /// meanwhile, and space that writers free is used again only when `body` returned.
  ///
  /// - Parameters:
  ///   - progress: Called now and then with the position reached. It must not use a ledger.
  ///   - body: Gets the state, which is good only as long as `body`, and only on its thread.
  /// - Throws: As ``replay(progress:)``, and what `body` throws.
  package func withReplay<R>(
    progress: (Position) -> Void = { _ in }, _ body: (ReplayedLedger) throws -> R
  ) throws -> R {
    try store.withPinnedView { view in
      let state = try LedgerState.replayed(from: view, progress: progress)
      return try body(ReplayedLedger(state, of: view, registry: store.sessions))
    }
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
