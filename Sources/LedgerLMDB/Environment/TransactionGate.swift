internal import LedgerLibC
internal import LedgerLocks

/// Counts the transactions that run in an environment, and lets one caller wait for their end.
///
/// LMDB demands this of its users: `mdb_env_close` and `mdb_env_set_mapsize` unmap the file, and
/// "it is the caller's responsibility to ensure" that no transaction runs meanwhile. Both crash
/// otherwise.
@safe
final class TransactionGate: @unchecked Sendable {
  // Sendable because every stored variable is only touched while `mutex` is held.

  /// One handle's part in a shared environment.
  final class Share: @unchecked Sendable {
    // Sendable because its variables are only touched while the gate's mutex is held.
    fileprivate var running = 0
    fileprivate var isClosed = false
    fileprivate var isReleased = false
  }

  private struct Running {
    let thread: ThreadIdentity
    let share: ObjectIdentifier
  }

  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>
  private var running: [Running] = []
  private var isExclusive = false
  private var writer: ThreadIdentity?

  init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe changed = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe changed.initialize(to: pthread_cond_t())
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(changed, nil)
  }

  deinit {
    unsafe pthread_cond_destroy(changed)
    unsafe pthread_mutex_destroy(mutex)
    unsafe changed.deallocate()
    unsafe mutex.deallocate()
  }

  private func locked<R, Failure>(_ body: () throws(Failure) -> R) throws(Failure) -> R {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body()
  }

  private func wait() {
    unsafe pthread_cond_wait(changed, mutex)
  }

  private func isInside(_ thread: ThreadIdentity) -> Bool {
    running.contains { $0.thread == thread }
  }

  /// Counts a transaction of `share` in; waits while the map is being changed.
  func enter(_ share: Share) throws(LMDBError) {
    let thread = ThreadIdentity.current
    try locked { () throws(LMDBError) in
      // A thread that is already inside must not wait for a thread that waits for it.
      while isExclusive, !isInside(thread) { wait() }
      guard !share.isClosed else { throw LMDBError(.closed, .begin) }
      share.running += 1
      running.append(Running(thread: thread, share: ObjectIdentifier(share)))
    }
  }

  func leave(_ share: Share) {
    let thread = ThreadIdentity.current
    locked {
      share.running -= 1
      let id = ObjectIdentifier(share)
      if let index = running.lastIndex(where: { $0.thread == thread && $0.share == id }) {
        running.remove(at: index)
      }
      unsafe pthread_cond_broadcast(changed)
    }
  }

  // MARK: The writing thread

  func refuseNestedWrite() throws(LMDBError) {
    try locked { () throws(LMDBError) in
      if writer == ThreadIdentity.current { throw LMDBError(.nestedWrite, .begin) }
    }
  }

  func setWriter(_ isWriting: Bool) {
    locked { writer = isWriting ? ThreadIdentity.current : nil }
  }

  // MARK: Waiting for the end of transactions

  /// Refuses new transactions of `share`, waits until the running ones have ended, and returns
  /// whether the caller must release the share.
  func close(_ share: Share) throws(LMDBError) -> Bool {
    let thread = ThreadIdentity.current
    return try locked { () throws(LMDBError) in
      if running.contains(where: {
        $0.thread == thread && $0.share == ObjectIdentifier(share)
      }) {
        throw LMDBError(.insideTransaction, .close)
      }
      share.isClosed = true
      // A change of the map, perhaps by this handle, ends before the map is removed.
      while share.running > 0 || isExclusive { wait() }
      defer { share.isReleased = true }
      return !share.isReleased
    }
  }

  func isClosed(_ share: Share) -> Bool { locked { share.isClosed } }

  /// Whether a thread waits for running transactions, to close the share or to have exclusive
  /// access.
  func isAwaited(_ share: Share) -> Bool { locked { share.isClosed || isExclusive } }

  /// Runs `body` while no transaction of this process runs in the environment.
  func excludingTransactions(
    _ operation: LMDBOperation, _ share: Share, _ body: () throws(LMDBError) -> Void
  ) throws(LMDBError) {
    let thread = ThreadIdentity.current
    try locked { () throws(LMDBError) in
      if isInside(thread) { throw LMDBError(.insideTransaction, operation) }
      while isExclusive { wait() }
      if share.isClosed { throw LMDBError(.closed, operation) }
      isExclusive = true
      while !running.isEmpty { wait() }
    }
    defer {
      locked {
        isExclusive = false
        unsafe pthread_cond_broadcast(changed)
      }
    }
    try body()
  }
}
