internal import CLedgerLMDB
internal import LedgerLibC
internal import LedgerSystem
internal import Synchronization

/// The one `MDB_env` that all handles of this process on one directory share.
///
/// LMDB: "Do not have open an LMDB database twice in the same process at the same time. Not even
/// from a plain open() call - close()ing it breaks fcntl() advisory locking."
@safe
final class EnvironmentCore: @unchecked Sendable {
  // Sendable because several threads may use MDB_env, and the rest is constant or locked.

  let path: String
  let identity: FileIdentity
  let configuration: Configuration
  let handle: OpaquePointer
  let seam: CallSeam
  let gate = TransactionGate()
  let forkGuard = ForkGuard()
  let panicked = Atomic<Bool>(false)
  /// Whether every page was checked, because a handle asked for it.
  let isChecked = Atomic<Bool>(false)
  /// The `errno` with which the system refused to extend the file in the newest write transaction;
  /// 0 if it did not.
  let growthFailure = Atomic<Int32>(0)
  let tables = Mutex<[String: Table]>([:])
  private let idleReaders = Mutex<[IdleReader]>([])

  /// The maximum number of reset read transactions that are kept for the next reader. Each keeps a
  /// slot of the lock file.
  static let maximumIdleReaders = 8

  /// A reset read transaction.
  @safe
  private struct IdleReader: @unchecked Sendable {
    // Sendable because with MDB_NOTLS a read transaction belongs to no thread.
    let handle: OpaquePointer
  }

  /// Takes over an opened `MDB_env`.
  init(
    _ handle: OpaquePointer, path: String, identity: FileIdentity, configuration: Configuration
  ) {
    unsafe self.handle = handle
    self.path = path
    self.identity = identity
    self.configuration = configuration
    self.seam = CallSeam(configuration.faults)
  }

  /// Closes the environment. No transaction may run; the registry sees to that.
  func shutDown() {
    // The descriptors and locks of a forked child are copies of its parent's: leave them alone.
    guard !forkGuard.isForkedChild else { return }
    dropIdleReaders()
    _ = seam(.close) { 0 }
    unsafe mdb_env_close(handle)
  }

  func dropIdleReaders() {
    let idle = idleReaders.withLock { readers in
      defer { readers.removeAll() }
      return readers
    }
    for reader in idle { unsafe mdb_txn_abort(reader.handle) }
  }
}

// MARK: - Beginning and ending

extension EnvironmentCore {
  /// A running read transaction: an idle one renewed, or a new one.
  func beginRead() throws(LMDBError) -> OpaquePointer {
    try refuseForkAndPanic()
    if let idle = idleReaders.withLock({ $0.popLast() }) {
      let status = seam(.renew) { unsafe mdb_txn_renew(idle.handle) }
      if status == .success { return unsafe idle.handle }
      // Whatever the failure was, a new transaction reports it better, or does not have it.
      unsafe mdb_txn_abort(idle.handle)
    }
    return try unsafe begin(flags: UInt32(MDB_RDONLY))
  }

  /// Keeps a reset read transaction for the next reader.
  func recycle(_ reader: OpaquePointer) {
    let idle = unsafe IdleReader(handle: reader)
    let isKept = idleReaders.withLock { readers in
      guard readers.count < Self.maximumIdleReaders else { return false }
      readers.append(idle)
      return true
    }
    if !isKept { unsafe mdb_txn_abort(reader) }
  }

  func beginWrite() throws(LMDBError) -> OpaquePointer {
    try refuseForkAndPanic()
    guard configuration.access == .readWrite else {
      throw LMDBError(.readOnly, .begin, path: path)
    }
    try gate.refuseNestedWrite()
    let transaction = try unsafe begin(flags: 0)
    growthFailure.store(0, ordering: .relaxed)
    return unsafe transaction
  }

  func refuseFork() throws(LMDBError) {
    try forkGuard.refuseForkedChild(path: path)
  }

  func refuseForkAndPanic() throws(LMDBError) {
    try refuseFork()
    guard !panicked.load(ordering: .acquiring) else {
      throw LMDBError(.panic, .begin, path: path)
    }
  }

  func begin(flags: UInt32) throws(LMDBError) -> OpaquePointer {
    var mayClearReaders = true
    while true {
      var transaction: OpaquePointer?
      let status = seam(.begin) { unsafe mdb_txn_begin(handle, nil, flags, &transaction) }
      switch status {
      case .success:
        if let transaction = unsafe transaction { return unsafe transaction }
        throw LMDBError(.system(.invalidArgument), .begin, path: path)
      case .readersFull where mayClearReaders:
        // Slots of killed processes stay taken until a process checks for them; our idle ones can
        // be given back.
        mayClearReaders = false
        dropIdleReaders()
        _ = try checkStaleReaders()
      case .system(.wouldBlock):
        throw LMDBError(.processIDClash, .begin, path: path)
      case .panic:
        panicked.store(true, ordering: .releasing)
        throw LMDBError(.panic, .begin, path: path)
      default:
        throw LMDBError(status, .begin, path: path)
      }
    }
  }

  /// "Check for stale entries in the reader lock table" (`mdb_reader_check`).
  func checkStaleReaders() throws(LMDBError) -> Int {
    guard configuration.access != .readOnlyWithoutLock else { return 0 }
    var dead: Int32 = 0
    try require(.checkReaders) { unsafe mdb_reader_check(handle, &dead) }
    return Int(dead)
  }

  /// Explains a failed commit from the state of the environment that it left.
  func explain(_ failure: LMDBError) -> LMDBError {
    var error = failure.at(path)
    // LMDB does not expose the flag of a failed meta write; the next begin reports it.
    var probe: OpaquePointer?
    let status =
      failure.status == .panic
      ? LMDBStatus.panic
      : LMDBStatus(unsafe mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &probe))
    if let probe = unsafe probe { unsafe mdb_txn_abort(probe) }
    if status == .panic {
      panicked.store(true, ordering: .releasing)
      error.commitOutcomeIsUnknown = true
      error.message =
        "It is not known whether the commit is on disk. Close the environment wherever this process "
        + "has it open, open it again, and look for the commit."
    } else if failure.status == .system(.fileTooLarge)
      || failure.status == .system(.inputOutput) && isDiskFull
    {
      error.refusal = .diskFull
      error.message = LMDBRefusal.diskFull.remedy
    }
    return error
  }

  /// A full disk first causes a short write, which LMDB reports as EIO. A limit on the size of the
  /// process's files has the same effect, and so has a quota, of which only a failed write tells.
  private var isDiskFull: Bool {
    let failure = SystemError.Code(rawValue: growthFailure.load(ordering: .relaxed))
    if failure.isFullDisk { return true }
    var result = statvfs()
    if unsafe statvfs(path, &result) == 0, result.f_bavail < 256 { return true }
    var file = stat()
    guard unsafe stat(path + "/data.mdb", &file) == 0, let limit = Self.fileSizeLimit else {
      return false
    }
    return UInt64(max(0, file.st_size)) >= limit
  }

  /// The maximum size in bytes of this process's files (`RLIMIT_FSIZE`), if there is a limit.
  static var fileSizeLimit: UInt64? {
    var limits = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
      let resource = RLIMIT_FSIZE
    #endif
    // RLIM_INFINITY, which is not imported, is the largest number of 63 or 64 bits.
    guard unsafe getrlimit(resource, &limits) == 0, limits.rlim_cur < rlim_t(Int64.max) else {
      return nil
    }
    return UInt64(limits.rlim_cur)
  }
}
