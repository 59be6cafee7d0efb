import Synchronization

/// The steps of one call while no other call compacts the ledger.
struct CompactionTurn: Sendable {
  let engine: LedgerEngine
  private let turn = CompactionLock.Turn()

  /// Runs one step on the open store, and takes the lock for it, because a freeze releases the lock.
  ///
  /// - Parameter body: Runs again if the session froze meanwhile, or if the snapshot moved: a freezing
  ///   session releases the lock while its last step may still be running.
  /// - Throws: `compactionBusy` if the ledger is being compacted already, and any error that `body` throws.
  func step<R: Sendable>(
    _ body: (any EventStore) throws(LedgerError) -> R
  ) async throws -> R {
    while true {
      try Task.checkCancellation()
      await Task.yield()
      do {
        return try await engine.withStore { store in
          try engine.compactionLock.take(turn, store)
          // A freeze first changes the phase and then releases the lock, which may have been free at that
          // time.
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

  /// Runs all steps of a call, and then allows others to compact.
  func run<R: Sendable>(_ body: (CompactionTurn) async throws -> R) async throws -> R {
    let result: Result<R, any Error>
    do { result = .success(try await body(self)) } catch { result = .failure(error) }
    if engine.phase.store?.isRemote == true {
      // The caller may be an actor, and its task may be cancelled.
      await withTaskExecutorPreference(engine.readExecutor) { await endElsewhere() }
    } else {
      end()
    }
    return try result.get()
  }

  @concurrent private func endElsewhere() async { end() }

  /// Allows others to compact. It blocks its thread while a remote store is asked to.
  func end() {
    engine.compactionLock.release(turn)
  }
}

/// Ensures that only one process, and only one call in it, compacts a ledger at a time.
///
/// A session that freezes releases the lock immediately, even in the middle of a compaction.
final class CompactionLock: Sendable {
  /// A call that requires exclusive compaction.
  final class Turn: Sendable {}

  private enum State {
    case free
    case held(Turn, any CompactionHold)
  }

  private let state = Mutex(State.free)

  /// Takes the lock; harmless if this turn already holds it.
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

  /// Releases the lock; harmless if this turn does not hold it.
  func release(_ turn: Turn) {
    state.withLock { state in
      guard case .held(let holder, let hold) = state, holder === turn else { return }
      hold.release()
      state = .free
    }
  }

  /// Takes the lock away from the compaction that holds it.
  func release() {
    state.withLock { state in
      if case .held(_, let hold) = state { hold.release() }
      state = .free
    }
  }
}

extension LedgerError {
  package static var compactionBusy: LedgerError {
    LedgerError(
      .compactionBusy,
      "The ledger is being compacted by another process or another call. Nothing was done; try again when that compaction has ended."
    )
  }
}
