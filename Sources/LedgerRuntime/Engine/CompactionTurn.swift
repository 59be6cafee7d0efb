import Synchronization

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
      } catch let error as LedgerError where error.lookAgain == .snapshotMoved {
        continue
      }
    }
  }

  /// Lets others compact.
  func end() {
    engine.compactionLock.release(turn)
  }
}

/// Makes sure that a ledger is compacted by one process, and one call in it, at a time.
///
/// A session that freezes lets go of it at once, also in the middle of a compaction.
final class CompactionLock: Sendable {
  /// A call that wants to be the only one.
  final class Turn: Sendable {}

  private enum State {
    case free
    case held(Turn, any CompactionHold)
  }

  private let state = Mutex(State.free)

  /// Takes the lock; harmless if this turn has it.
  ///
  /// - Throws: `compactionBusy` if another compaction holds it.
  func take(_ turn: Turn, _ store: any EventStore) throws(LedgerError) {
    try state.withLock { (state) throws(LedgerError) in
      if case .held(let holder, _) = state {
        guard holder === turn else { throw .compactionBusy }
        return
      }
      guard let hold = try store.lockForCompaction() else { throw .compactionBusy }
      state = .held(turn, hold)
    }
  }

  /// Gives it back; harmless if this turn does not hold it.
  func release(_ turn: Turn) {
    state.withLock { state in
      guard case .held(let holder, let hold) = state, holder === turn else { return }
      hold.release()
      state = .free
    }
  }

  /// Takes it away from the compaction that holds it.
  func release() {
    state.withLock { state in
      if case .held(_, let hold) = state { hold.release() }
      state = .free
    }
  }
}

extension LedgerError {
  static var compactionBusy: LedgerError {
    LedgerError(
      .compactionBusy,
      "The ledger is being compacted by another process or another call. Wait for it to end; nothing was done."
    )
  }
}
