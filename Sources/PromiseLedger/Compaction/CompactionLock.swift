import LedgerSystem
import Synchronization

/// Makes sure that a ledger is compacted by one process, and one call in it, at a time.
///
/// A session that freezes lets go of it at once, also in the middle of a compaction.
final class CompactionLock: Sendable {
  private enum State {
    case free
    case held(FileLock?)
  }

  private let state = Mutex(State.free)

  /// - Parameter directory: `nil` for a ledger in memory.
  /// - Throws: `compactionBusy` if somebody holds it.
  func take(_ directory: LedgerDirectory?) throws(LedgerError) {
    try state.withLock { (state) throws(LedgerError) in
      guard case .free = state else { throw .compactionBusy }
      guard let directory else {
        state = .held(nil)
        return
      }
      let file = try LedgerError.system("The lock of compaction cannot be taken.") {
        () throws(SystemError) -> FileLock? in
        let file = try FileLock.open(directory.compaction)
        return try file.tryLock() ? file : nil
      }
      guard let file else { throw .compactionBusy }
      state = .held(file)
    }
  }

  var isHeld: Bool {
    state.withLock { state in
      if case .held = state { true } else { false }
    }
  }

  /// Gives it back; harmless if it is not held.
  func release() {
    state.withLock { state in
      if case .held(let file) = state { file?.close() }
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
