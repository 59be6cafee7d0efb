import LedgerLMDB
import LedgerSystem
import Synchronization

/// A store in a directory: an LMDB environment, a gate for writers, and a doorbell.
package final class LMDBEventStore: EventStore {
  let directory: LedgerDirectory
  let options: StoreOptions
  package let metadata: LedgerMetadata
  let gate: WriterGate
  let doorbell: Doorbell
  private let words: SharedWords
  private let generation: String
  private let open: Mutex<Environment?>

  /// Opens the ledger in a directory.
  package init(opening directory: LedgerDirectory, options: StoreOptions) throws(LedgerError) {
    self.directory = directory
    self.options = options
    generation = try directory.readCurrentGeneration()
    let environment = try Self.openEnvironment(directory, generation, options)
    metadata = try LMDBLog(environment).metadata()
    do throws(SystemError) {
      words = try SharedWords(path: directory.wake)
      gate = try WriterGate.open(directory.gate, words: words)
    } catch {
      throw LedgerError(error, "The ledger's gate or doorbell cannot be opened.")
    }
    doorbell = Doorbell(words)
    open = Mutex(environment)
  }

  static func openEnvironment(
    _ directory: LedgerDirectory, _ generation: String, _ options: StoreOptions
  ) throws(LedgerError) -> Environment {
    do throws(LMDBError) {
      return try Environment.open(
        at: directory.generation(generation), configuration: options.environment,
        tables: LMDBLog.tables)
    } catch {
      throw LedgerError(error)
    }
  }

  // MARK: Reading

  package func head() throws(LedgerError) -> Position {
    try LMDBLog(environment).head()
  }

  package func read(
    after position: Position, limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) -> Position {
    try LMDBLog(environment).read(after: position, limit: limit, body)
  }

  package func attachment(
    of position: Position, byteCount: Int
  ) throws(LedgerError) -> [UInt8] {
    try LMDBLog(environment).attachment(of: position, byteCount: byteCount)
  }

  // MARK: Waiting

  package var changeCount: UInt32 { doorbell.ringCount }

  package func waitForChange(since count: UInt32, timeout: Duration) {
    _ = doorbell.wait(since: count, timeout: timeout)
  }

  package func interruptWaits() {
    gate.interrupt()
    doorbell.interrupt()
  }

  package func releaseDeadReaders() {
    // A hint that may fail: opening and a full table of readers check again.
    _ = try? environment.checkStaleReaders()
  }

  // MARK: Closing

  var environment: Environment {
    get throws(LedgerError) {
      guard let environment = open.withLock({ $0 }) else { throw .storeClosed }
      return environment
    }
  }

  /// Opens the environment anew after the write of a meta page failed.
  func reopen() throws(LedgerError) {
    try open.withLock { (environment) throws(LedgerError) in
      guard let old = environment else { throw .storeClosed }
      try? old.close()
      environment = nil
      environment = try Self.openEnvironment(directory, generation, options)
    }
  }

  package func close() {
    let environment = open.withLock { environment in
      defer { environment = nil }
      return environment
    }
    gate.close()
    words.close()
    // Throws only inside a transaction of this thread, which cannot be here.
    try? environment?.close()
  }
}

extension LedgerError {
  static var storeClosed: LedgerError {
    LedgerError(.closed, "The ledger is closed or frozen. Open or unfreeze it first.")
  }
}
