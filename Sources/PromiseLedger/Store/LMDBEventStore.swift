import LedgerLMDB
import LedgerSystem
import Synchronization

/// A store in a directory: an LMDB environment, a gate for writers, and a doorbell.
package final class LMDBEventStore: EventStore, ForwardingSource {
  /// A known problem of the LMDB version that this process runs, if any.
  package static var knownHazard: String? {
    LMDBVersion.current.knownHazard
  }

  package var ledgerID: LedgerID { metadata.ledgerID }
  package var createdAt: Timestamp { metadata.createdAt }

  /// The store is local: a file that is mapped into memory.
  package let isRemote = false

  let directory: LedgerDirectory
  let options: StoreOptions
  package let metadata: LedgerMetadata
  let gate: WriterGate
  let doorbell: Doorbell
  private let words: SharedWords
  private let access: Mutex<Access>
  /// The shrink that this store runs, if any.
  let shrinking = ShrinkTurn()

  /// The operations that the store currently allows.
  private enum Access {
    case open(StoreFiles)
    /// The disk failed, and the environment could not be reopened yet.
    case broken
    case closed
  }

  /// Opens the ledger in a directory.
  package init(opening directory: LedgerDirectory, options: StoreOptions) throws(LedgerError) {
    self.directory = directory
    self.options = options
    // Refuses what is not a ledger before anything else is done in the directory.
    _ = try directory.readCurrentGeneration()
    do throws(SystemError) {
      try UnfinishedLedger.removeMark(from: directory)
    } catch {
      throw LedgerError(
        error, "The creation of the ledger at \(directory.path) cannot be finished.")
    }
    let files = try StoreFiles.openCurrent(directory, options)
    metadata = files.metadata
    // Rejects an inconsistent ledger before anything is written to it. The mark is read first, because
    // another session may commit at any time.
    let acknowledged = files.mark.position(inFile: directory.wake)
    try AcknowledgedMark.check(acknowledged, isIn: LMDBLog(files.environment).head())
    try UnusedGenerations.refuseNewer(than: files.generation, in: directory)
    do throws(SystemError) {
      words = try SharedWords(path: directory.wake)
      gate = try WriterGate.open(directory.gate, words: words)
    } catch {
      throw LedgerError(error, "The ledger's gate or doorbell cannot be opened.")
    }
    doorbell = Doorbell(words)
    access = Mutex(.open(files))
    removeLeftovers()
  }

  // MARK: Reading

  package func withSource<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try reading(body)
  }

  /// The time of the system clock: a file has no clock of its own.
  package func now() -> Timestamp { SystemLedgerClock().now() }

  package func view(_ request: ViewRequest) throws(LedgerError) -> StoreView {
    if let answer = try readUnlessSealed({ view in try view.answer(request) }) { return answer }
    return try reading { (log) throws(LedgerError) in
      try log.pinned { view in try view.answer(request) }
    }
  }

  package func isUnchanged(
    since position: Position, _ commit: CommitID, snapshot: Position
  ) throws(LedgerError) -> Bool {
    try reading(from: openFiles) { (log) throws(LedgerError) in
      let ends = try log.ends()
      return ends.log.position == position && ends.log.commit == commit
        && ends.snapshot == snapshot && !ends.isSealed
    }
  }

  /// Reads from the generation in use.
  func reading<R>(
    _ body: (LMDBLog) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try reading(from: currentFiles(), body)
  }

  /// Reads once from the open files.
  ///
  /// - Returns: `nil` if these are sealed, so that another generation may be in use.
  func readUnlessSealed<R>(_ body: (PinnedLog) throws -> R) throws(LedgerError) -> R? {
    try reading(from: openFiles) { (log) throws(LedgerError) in
      try log.pinned { view in try view.isSealed ? nil : body(view) }
    }
  }

  /// Reads from files.
  ///
  /// It retries if another session of this process left the shared environment in panic, once, or if the
  /// ledger moved to other files. Such a read fails before it begins, so no data is delivered twice.
  private func reading<R>(
    from newestFiles: @autoclosure () throws(LedgerError) -> StoreFiles,
    _ body: (LMDBLog) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    var isRepaired = false
    while true {
      let files = try newestFiles()
      do throws(LedgerError) {
        return try body(LMDBLog(files.environment))
      } catch {
        if error.isPanic, !isRepaired {
          isRepaired = true
          try reopen()
        } else if error.code != .closed || !files.environment.isClosed {
          throw error
        }
      }
    }
  }

  // MARK: Waiting

  /// Notes that a commit is durable, and tells other sessions. The caller holds the writer gate.
  ///
  /// - Parameters:
  ///   - head: The position of the last event.
  ///   - toOwnListener: Whether to wake the thread that waits on this store, too.
  func announce(_ head: Position, toOwnListener: Bool = true) {
    // The files cannot change meanwhile: a shrink needs the gate.
    try? openFiles.mark.move(to: head, in: words)
    doorbell.ring(wakesOwn: toOwnListener)
  }

  package var changeCount: UInt32 { doorbell.ringCount }

  package func waitForChange(since count: UInt32, timeout: Duration) {
    _ = doorbell.wait(since: count, timeout: timeout)
  }

  package func interruptWaits() {
    gate.interrupt()
    doorbell.interrupt()
  }

  package func reclaimFromTheDead() -> Int {
    // This check is optional and may fail: opening the ledger, and a full table of readers, repeat it.
    (try? environment.checkStaleReaders()) ?? 0
  }

  // MARK: Closing

  /// The open files, which may have been sealed.
  var openFiles: StoreFiles {
    get throws(LedgerError) {
      try access.withLock { (access) throws(LedgerError) in
        switch access {
        case .open(let files): return files
        case .closed: throw .storeClosed
        case .broken:
          let files = try StoreFiles.openCurrent(directory, options)
          access = .open(files)
          return files
        }
      }
    }
  }

  var environment: Environment {
    get throws(LedgerError) { try openFiles.environment }
  }

  /// Goes on with the files of another generation, unless another thread already does.
  func replace(_ old: StoreFiles, with new: StoreFiles) {
    let unused = access.withLock { access in
      guard case .open(let files) = access, files.environment === old.environment else {
        return new
      }
      access = .open(new)
      return old
    }
    // Called without the lock: closing waits for current reads, and these may need the lock to finish.
    try? unused.environment.close()
  }

  /// Reopens the environment after the write of a meta page or a change of the map failed; does
  /// nothing otherwise.
  ///
  /// All sessions of this process share the environment, so each of them must close it before one can reopen
  /// it.
  func reopen() throws(LedgerError) {
    let old: Environment? = access.withLock { access in
      guard case .open(let old) = access, old.environment.isPanicked else { return nil }
      access = .broken
      return old.environment
    }
    // Called without the lock: closing waits for current reads, and these may need the lock to finish.
    try? old?.close()
    try access.withLock { (access) throws(LedgerError) in
      switch access {
      case .closed: throw .storeClosed
      case .open: return
      case .broken: access = .open(try openAnew())
      }
    }
  }

  private func openAnew() throws(LedgerError) -> StoreFiles {
    let pause = WakeSemaphore()
    var attempts = 0
    while true {
      // The listeners of the other sessions wake, find the panic, and close the environment here, too.
      doorbell.interrupt()
      do throws(LedgerError) {
        return try StoreFiles.openCurrent(directory, options)
      } catch {
        guard error.isPanic, attempts < Self.maximumReopenAttempts else { throw error }
        attempts += 1
        _ = pause.wait(timeout: .milliseconds(1))
      }
    }
  }

  /// The number of attempts, one per millisecond, while the other sessions of this process finish their
  /// reads.
  private static let maximumReopenAttempts = 2_000

  /// Makes durable all data that LMDB has written.
  func sync() throws(LedgerError) {
    let environment = try environment
    try LedgerError.mappingAll { try environment.sync() }
  }

  package func close() {
    shrinking.end()
    let last = access.withLock { access in
      defer { access = .closed }
      return access
    }
    gate.interrupt()
    // Before the gate is left: a transaction that is running must end first, so that no other process passes the
    // gate and then waits for it without a limit. This throws only inside a transaction of this thread, which is
    // impossible here.
    if case .open(let files) = last { try? files.environment.close() }
    gate.close()
    words.close()
  }
}
