internal import LedgerLibC
internal import Synchronization

/// Distinguishes a forked child from the process that created the guard.
///
/// LMDB: "Do not use opened MDB_env/MDB_txn/MDB_cursor handles after fork". Besides, locks that
/// another thread held when the process was forked stay locked in the child for ever, so the guard
/// is checked before any lock is taken.
package struct ForkGuard: Sendable {
  private let generation: Int

  package init() {
    generation = ForkGeneration.current
  }

  /// Whether this process was forked since the guard was created.
  package var isForkedChild: Bool { generation != ForkGeneration.current }

  /// - Throws: ``LMDBRefusal/forkedChild`` in a forked child.
  package func refuseForkedChild(path: String) throws(LMDBError) {
    guard !isForkedChild else { throw Self.refusal(path: path) }
  }

  /// The error for a forked child.
  package static func refusal(path: String) -> LMDBError {
    LMDBError(.forkedChild, .begin, path: path)
  }
}

/// Counts the forks between this process and the one that loaded the library.
///
/// A counter that a `pthread_atfork` handler increments costs a load or two for each check;
/// `getpid` would cost a system call, and an id can recur.
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
