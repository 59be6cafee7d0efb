import LedgerLMDB
import LedgerSystem
import Synchronization

/// A store in a directory: an LMDB environment, a gate for writers, and a doorbell.
package final class LMDBEventStore: EventStore {
  package var ledgerID: LedgerID { metadata.ledgerID }

  let directory: LedgerDirectory
  let options: StoreOptions
  package let metadata: LedgerMetadata
  let gate: WriterGate
  let doorbell: Doorbell
  private let words: SharedWords
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
    let environment = try Self.openEnvironment(directory, generation, options)
    metadata = try LMDBLog(environment).metadata()
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

  /// Opens the environment anew after the write of a meta page failed.
  func reopen() throws(LedgerError) {
    try access.withLock { (access) throws(LedgerError) in
      switch access {
      case .closed: throw .storeClosed
      case .open(let old): try? old.close()
      case .broken: break
      }
      access = .broken
      access = .open(try Self.openEnvironment(directory, generation, options))
    }
  }

  /// Makes everything durable that LMDB has written.
  func sync() throws(LedgerError) {
    let environment = try environment
    try LedgerError.mapping { try environment.sync() }
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

extension LedgerError {
  static var storeClosed: LedgerError {
    LedgerError(.closed, "The ledger is closed or frozen. Open or unfreeze it first.")
  }
}
