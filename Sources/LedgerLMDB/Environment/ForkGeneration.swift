internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Counts the forks between this process and the one that loaded the library.
///
/// LMDB: "Do not use opened MDB_env/MDB_txn/MDB_cursor handles after fork". A counter that a
/// `pthread_atfork` handler moves costs one load at each begin; `getpid` would cost a system call,
/// and an id can come back.
enum ForkGeneration {
  private static let counter = Atomic<Int>(0)
  private static let isWatching: Bool = pthread_atfork(nil, nil, { counted() }) == 0

  private static func counted() {
    counter.add(1, ordering: .relaxed)
  }

  static var current: Int { counter.load(ordering: .relaxed) }

  /// Starts to count, once; call before the first environment is opened.
  static func watch() {
    _ = isWatching
  }
}
