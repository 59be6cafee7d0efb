internal import LedgerLibC
internal import Synchronization

/// Tells a forked child from the process that opened what has the guard.
///
/// LMDB: "Do not use opened MDB_env/MDB_txn/MDB_cursor handles after fork". Besides, what another
/// thread had locked when the process was forked stays locked in the child for ever, so the guard is
/// asked before any lock is taken.
package struct ForkGuard: Sendable {
  private let generation: Int

  package init() {
    generation = ForkGeneration.current
  }

  /// Whether this process was forked since the guard was made.
  package var isForkedChild: Bool { generation != ForkGeneration.current }

  /// - Throws: ``LMDBRefusal/forkedChild`` in a forked child.
  package func refuseForkedChild(path: String) throws(LMDBError) {
    guard !isForkedChild else { throw Self.refusal(path: path) }
  }

  /// What a forked child is told.
  package static func refusal(path: String) -> LMDBError {
    LMDBError(.forkedChild, .begin, path: path)
  }
}

/// Counts the forks between this process and the one that loaded the library.
///
/// A counter that a `pthread_atfork` handler moves costs a load or two where it is asked; `getpid`
/// would cost a system call, and an id can come back.
private enum ForkGeneration {
  private static let counter = Atomic<Int>(0)
  private static let isWatching: Bool = pthread_atfork(nil, nil, { counted() }) == 0

  private static func counted() {
    counter.add(1, ordering: .relaxed)
  }

  static var current: Int {
    _ = isWatching
    return counter.load(ordering: .relaxed)
  }
}
