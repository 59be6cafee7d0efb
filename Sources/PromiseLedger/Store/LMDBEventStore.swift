import LedgerLMDB
import LedgerSystem
import Synchronization

/// A store in a directory: an LMDB environment, a gate for writers, and a doorbell.
package final class LMDBEventStore: EventStore {
  static let tables = [
    TableDescription("meta", keys: .bytes),
    TableDescription("log", keys: .integer),
    TableDescription("blob", keys: .bytes),
    TableDescription("entities", keys: .bytes),
  ]

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
    metadata = try Self.readMetadata(environment)
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
        at: directory.generation(generation), configuration: options.environment, tables: tables)
    } catch {
      throw LedgerError(error)
    }
  }

  static func readMetadata(_ environment: Environment) throws(LedgerError) -> LedgerMetadata {
    try LedgerError.mapping {
      let table = try environment.table(named: "meta")
      return try environment.read { transaction in
        guard let bytes = try transaction.value(forKey: LedgerMetadata.key.span, in: table) else {
          throw LedgerError(.notALedger, "The ledger's metadata is missing.")
        }
        return try LedgerMetadata(decoding: bytes)
      }
    }
  }

  // MARK: Reading

  package func head() throws(LedgerError) -> Position {
    try reading { environment, transaction in
      try Self.head(of: transaction, try environment.table(named: "log"))
    }
  }

  package func read(
    after position: Position, limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) -> Position {
    try reading { environment, transaction in
      try Self.scan(
        transaction, try environment.table(named: "log"), after: position, limit: limit, body)
    }
  }

  package func attachment(
    of position: Position, byteCount: Int
  ) throws(LedgerError) -> [UInt8] {
    try reading { environment, transaction in
      let table = try environment.table(named: "blob")
      var content: [UInt8] = []
      // A damaged length cannot make us allocate more than the chunks that are really there.
      for number in 0..<Chunk.count(ofAttachment: byteCount) {
        let key = Chunk.key(position, number)
        let chunk = try transaction.value(forKey: key.span, in: table)
        try Chunk.append(chunk, of: position, number, attachment: byteCount, to: &content)
      }
      return content
    }
  }

  /// Runs a read transaction on the open environment.
  func reading<R>(
    _ body: (Environment, borrowing ReadTransaction) throws -> R
  ) throws(LedgerError) -> R {
    let environment = try environment
    return try LedgerError.mapping {
      try environment.read { transaction in try body(environment, transaction) }
    }
  }

  static func head<Reader: TableReader & ~Copyable>(
    of transaction: borrowing Reader, _ log: Table
  ) throws -> Position {
    guard let last = try transaction.floorEntry(.max, in: log) else { return .start }
    return try FrameView(checking: last.value, key: last.key).header.lastPosition
  }

  static func scan<Reader: TableReader & ~Copyable>(
    _ transaction: borrowing Reader, _ log: Table, after position: Position, limit: Int,
    _ body: (FrameView) throws(LedgerError) -> Void
  ) throws -> Position {
    let next = position.rawValue &+ 1
    let start = try transaction.floorKey(next, in: log) ?? next
    var last = position
    var count = 0
    try transaction.scan(log, from: start) { key, bytes in
      let frame = try FrameView(checking: bytes, key: key)
      if frame.header.lastPosition <= position { return true }
      guard frame.header.firstPosition <= last.advanced(by: 1) else {
        throw LedgerError(
          .corrupt,
          "Events after position \(last) are missing: the next frame begins at \(key). Restore the ledger from a copy."
        )
      }
      try body(frame)
      last = frame.header.lastPosition
      count += frame.header.eventCount
      return count < limit
    }
    return last
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
