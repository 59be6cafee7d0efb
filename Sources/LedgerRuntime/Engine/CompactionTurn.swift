/// What one call does as the only one that compacts the ledger, step by step.
struct CompactionTurn: Sendable {
  let engine: LedgerEngine
  private let turn = CompactionLock.Turn()

  /// Runs one step on the open store, and holds the lock for it: a freeze took it away.
  ///
  /// - Parameter body: Runs again if the session froze meanwhile, or if the snapshot moved: a session
  ///   that freezes gives the lock back while the last step that it began may still be made.
  /// - Throws: `compactionBusy` if the ledger is being compacted already, and what `body` throws.
  func step<R: Sendable>(
    _ body: (any EventStore) throws(LedgerError) -> R
  ) async throws -> R {
    while true {
      try Task.checkCancellation()
      await Task.yield()
      do {
        return try await engine.withStore { store in
          try engine.compactionLock.take(turn, store)
          // A freeze first says that it is one, and then releases the lock, which was perhaps free then.
          guard engine.phase.store === store else {
            end()
            throw LedgerError.storeClosed
          }
          return try body(store)
        }
      } catch let error as LedgerError where error.code == .snapshotMoved {
        continue
      }
    }
  }

  /// Lets others compact.
  func end() {
    engine.compactionLock.release(turn)
  }
}
