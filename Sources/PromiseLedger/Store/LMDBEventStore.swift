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
  private let acknowledgedMark: AcknowledgedMark
  private let generation: String
  private let access: Mutex<Access>

  /// The operations that the store currently allows.
  private enum Access {
    case open(Environment)
    /// The disk failed, and the environment could not be reopened yet.
    case broken
    case closed
  }

  /// Opens the ledger in a directory.
  package init(opening directory: LedgerDirectory, options: StoreOptions) throws(LedgerError) {
    self.directory = directory
    self.options = options
    generation = try directory.readCurrentGeneration()
    do throws(SystemError) {
      try UnfinishedLedger.removeMark(from: directory)
    } catch {
      throw LedgerError(
        error, "The creation of the ledger at \(directory.path) cannot be finished.")
    }
    let environment = try Self.openEnvironment(directory, generation, options)
    let log = LMDBLog(environment)
    metadata = try log.metadata()
    acknowledgedMark = try AcknowledgedMark(
      of: metadata.ledgerID, in: directory, generation: generation)
    // Rejects an inconsistent ledger before anything is written to it. The mark is read first, because
    // another session may commit at any time.
    let acknowledged = acknowledgedMark.position(inFile: directory.wake)
    try AcknowledgedMark.check(acknowledged, isIn: log.head())
    do throws(SystemError) {
      words = try SharedWords(path: directory.wake)
      gate = try WriterGate.open(directory.gate, words: words)
    } catch {
      throw LedgerError(error, "The ledger's gate or doorbell cannot be opened.")
    }
    doorbell = Doorbell(words)
    access = Mutex(.open(environment))
  }

  static func openEnvironment(
    _ directory: LedgerDirectory, _ generation: String, _ options: StoreOptions
  ) throws(LedgerError) -> Environment {
    var configuration = options.environment
    // A ledger is always created with its data file, so a missing file was lost.
    configuration.createsDataFile = false
    return try LedgerError.mappingAll {
      try Environment.open(
        at: directory.generation(generation), configuration: configuration,
        tables: LedgerTables.descriptions)
    }
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
    try reading { (log) throws(LedgerError) in
      try log.pinned { view in try view.answer(request) }
    }
  }

  /// Reads, and retries once if another session of this process left the shared environment in panic. Such a
  /// read fails before it begins, so no data is delivered twice.
  func reading<R>(
    _ body: (LMDBLog) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    do throws(LedgerError) {
      return try body(LMDBLog(environment))
    } catch {
      guard error.isPanic else { throw error }
      try reopen()
      return try body(LMDBLog(environment))
    }
  }

  // MARK: Waiting

  /// Notes that a commit is durable, and tells other sessions. The caller holds the writer gate.
  func announce(_ head: Position) {
    acknowledgedMark.move(to: head, in: words)
    doorbell.ring()
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

  var environment: Environment {
    get throws(LedgerError) {
      try access.withLock { (access) throws(LedgerError) in
        switch access {
        case .open(let environment): return environment
        case .closed: throw .storeClosed
        case .broken:
          let environment = try Self.openEnvironment(directory, generation, options)
          access = .open(environment)
          return environment
        }
      }
    }
  }

  /// Reopens the environment after the write of a meta page failed; does nothing otherwise.
  ///
  /// All sessions of this process share the environment, so each of them must close it before one can reopen
  /// it.
  func reopen() throws(LedgerError) {
    let old: Environment? = access.withLock { access in
      guard case .open(let old) = access, old.isPanicked else { return nil }
      access = .broken
      return old
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

  private func openAnew() throws(LedgerError) -> Environment {
    let pause = WakeSemaphore()
    var attempts = 0
    while true {
      // The listeners of the other sessions wake, find the panic, and close the environment here, too.
      doorbell.interrupt()
      do throws(LedgerError) {
        return try Self.openEnvironment(directory, generation, options)
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
    let last = access.withLock { access in
      defer { access = .closed }
      return access
    }
    gate.close()
    words.close()
    // This throws only inside a transaction of this thread, which is impossible here.
    if case .open(let environment) = last { try? environment.close() }
  }
}
