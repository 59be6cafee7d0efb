import LedgerLMDB
import LedgerSystem
import Synchronization

/// A store in a directory: an LMDB environment, a gate for writers, and a doorbell.
package final class LMDBEventStore: EventStore, ForwardingSource {
  /// What is known to be wrong with the LMDB that this process runs, if anything.
  package static var knownHazard: String? {
    LMDBVersion.current.knownHazard
  }

  package var ledgerID: LedgerID { metadata.ledgerID }
  package var createdAt: Timestamp { metadata.createdAt }

  /// It is in a file that is mapped into memory.
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

  /// What the store can be used for.
  private enum Access {
    case open(Environment)
    /// The disk failed and the environment could not be opened anew yet.
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
      throw LedgerError(error, "The making of the ledger at \(directory.path) cannot be finished.")
    }
    let environment = try Self.openEnvironment(directory, generation, options)
    let log = LMDBLog(environment)
    metadata = try log.metadata()
    acknowledgedMark = try AcknowledgedMark(
      of: metadata.ledgerID, in: directory, generation: generation)
    // Refuses a ledger that contradicts itself before anything is written to it. The mark comes first:
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
    // A ledger is made whole: a data file that is missing was lost.
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

  /// The clock of the system: a file has no other.
  package func now() -> Timestamp { SystemLedgerClock().now() }

  package func view(_ request: ViewRequest) throws(LedgerError) -> StoreView {
    try reading { (log) throws(LedgerError) in
      try log.pinned { view in try view.answer(request) }
    }
  }

  /// Reads, and once more if another session of this process left the environment in panic: it is
  /// shared. Such a read fails before it begins, so nothing is handed over twice.
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

  /// Notes that a commit is durable, and tells other sessions. The caller holds the gate.
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
    // A hint that may fail: opening and a full table of readers check again.
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

  /// Opens the environment anew after the write of a meta page failed; does nothing otherwise.
  ///
  /// All sessions of this process share it, so each of them has to let go before one can open it.
  func reopen() throws(LedgerError) {
    let old: Environment? = access.withLock { access in
      guard case .open(let old) = access, old.isPanicked else { return nil }
      access = .broken
      return old
    }
    // Not with the lock: it waits for reads that are under way, and these may need the lock to end.
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
      // The others' listeners look, find the panic, and come here.
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

  /// Times a millisecond, for the other sessions of this process to end their reads.
  private static let maximumReopenAttempts = 2_000

  /// Makes everything durable that LMDB has written.
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
    // Throws only inside a transaction of this thread, which cannot be here.
    if case .open(let environment) = last { try? environment.close() }
  }
}
