import LedgerLMDB
import LedgerSystem

/// The reading side of a ledger's LMDB environment.
struct LMDBLog: EventSource, Sendable {
  static let tables = [
    TableDescription("meta", keys: .bytes),
    TableDescription("log", keys: .integer),
    TableDescription("blob", keys: .bytes),
    TableDescription("entities", keys: .bytes),
    TableDescription("parts", keys: .bytes),
    TableDescription("open", keys: .bytes),
    TableDescription("tombstones", keys: .bytes),
  ]

  /// The tables that every ledger has, also one that was never opened by a build with snapshots.
  static let firstTables = Array(tables.prefix(4))

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
    let meta = try LedgerError.mapping { try environment.table(named: "meta") }
    return try reading("log") { transaction, log in
      try Self.scan(transaction, log, meta, after: position, limit: limit, body)
    }
  }

  package func attachment(
    of position: Position, byteCount: Int
  ) throws(LedgerError) -> [UInt8] {
    let meta = try LedgerError.mapping { try environment.table(named: "meta") }
    return try reading("blob") { transaction, blob in
      try Self.attachment(transaction, blob, meta, of: position, byteCount)
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

  // MARK: The snapshot

  /// The tables of a snapshot, as far as the environment has them.
  static func handles(_ environment: Environment) -> [SnapshotTable: Table] {
    var handles: [SnapshotTable: Table] = [:]
    for table in SnapshotTable.allCases { handles[table] = environment.handle(of: table) }
    return handles
  }

  func readSnapshot<R>(
    _ body: (any SnapshotTables) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try LedgerError.mapping {
      try environment.read { transaction in
        let tables = LMDBSnapshotTables(transaction, of: environment)
        defer { tables.end() }
        return try body(tables)
      }
    }
  }

  /// Up to where events were deleted.
  private static func deletedThrough<Reader: TableReader & ~Copyable>(
    _ transaction: borrowing Reader, _ meta: Table
  ) throws -> Position {
    let key = SnapshotSummary.key
    guard let bytes = try transaction.value(forKey: key.span, in: meta) else { return .start }
    var copy: [UInt8] = []
    copy.append(contentsOf: bytes)
    return try SnapshotSummary(decoding: copy).deletedThrough
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

  /// The attachment of an event that compaction may have deleted since somebody read of it.
  ///
  /// - Throws: `eventsCompacted` if it did; `corrupt`.
  static func attachment<Reader: TableReader & ~Copyable>(
    _ transaction: borrowing Reader, _ blob: Table, _ meta: Table, of position: Position,
    _ byteCount: Int
  ) throws -> [UInt8] {
    let key = Chunk.key(position, 0)
    if try transaction.value(forKey: key.span, in: blob) == nil {
      let deleted = try deletedThrough(transaction, meta)
      guard position > deleted else {
        throw LedgerError.attachmentCompacted(of: position, through: deleted)
      }
    }
    return try attachment(transaction, blob, of: position, byteCount)
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
    _ transaction: borrowing Reader, _ log: Table, _ meta: Table, after position: Position,
    limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws -> Position {
    let deleted = try deletedThrough(transaction, meta)
    guard position >= deleted else {
      throw LedgerError.eventsCompacted(after: position, through: deleted)
    }
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
