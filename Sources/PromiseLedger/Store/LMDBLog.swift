import LedgerLMDB

/// The reading side of a ledger's LMDB environment.
struct LMDBLog: EventSource {
  static let tables = [
    TableDescription("meta", keys: .bytes),
    TableDescription("log", keys: .integer),
    TableDescription("blob", keys: .bytes),
    TableDescription("entities", keys: .bytes),
  ]

  private let environment: Environment

  init(_ environment: Environment) {
    self.environment = environment
  }

  func metadata() throws(LedgerError) -> LedgerMetadata {
    try reading("meta") { transaction, table in try Self.metadata(of: transaction, table) }
  }

  package func head() throws(LedgerError) -> Position {
    try reading("log") { transaction, log in try Self.head(of: transaction, log) }
  }

  package func read(
    after position: Position, limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) -> Position {
    try reading("log") { transaction, log in
      try Self.scan(transaction, log, after: position, limit: limit, body)
    }
  }

  package func attachment(
    of position: Position, byteCount: Int
  ) throws(LedgerError) -> [UInt8] {
    try reading("blob") { transaction, table in
      try Self.attachment(transaction, table, of: position, byteCount)
    }
  }

  private func reading<R>(
    _ table: String, _ body: (borrowing ReadTransaction, Table) throws -> R
  ) throws(LedgerError) -> R {
    try LedgerError.mapping {
      let table = try environment.table(named: table)
      return try environment.read { transaction in try body(transaction, table) }
    }
  }

  // MARK: In any transaction

  static func metadata<Reader: TableReader & ~Copyable>(
    of transaction: borrowing Reader, _ table: Table
  ) throws -> LedgerMetadata {
    let key = LedgerMetadata.key
    guard let bytes = try transaction.value(forKey: key.span, in: table) else {
      throw LedgerError(.notALedger, "The ledger's metadata is missing.")
    }
    return try LedgerMetadata(decoding: bytes)
  }

  static func head<Reader: TableReader & ~Copyable>(
    of transaction: borrowing Reader, _ log: Table
  ) throws -> Position {
    guard let last = try transaction.floorEntry(.max, in: log) else { return .start }
    return try FrameView(checking: last.value, key: last.key).header.lastPosition
  }

  static func attachment<Reader: TableReader & ~Copyable>(
    _ transaction: borrowing Reader, _ blob: Table, of position: Position, _ byteCount: Int
  ) throws(LedgerError) -> [UInt8] {
    var content: [UInt8] = []
    // A damaged length cannot make us allocate more than the chunks that are really there.
    for number in 0..<Chunk.count(ofAttachment: byteCount) {
      let key = Chunk.key(position, number)
      let chunk: Span<UInt8>?
      do throws(LMDBError) {
        chunk = try transaction.value(forKey: key.span, in: blob)
      } catch {
        throw LedgerError(error)
      }
      try Chunk.append(chunk, of: position, number, attachment: byteCount, to: &content)
    }
    return content
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
}
