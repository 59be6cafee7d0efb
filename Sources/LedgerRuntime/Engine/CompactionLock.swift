import Synchronization

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
