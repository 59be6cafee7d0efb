import LedgerBytes
import LedgerLMDB
import LedgerSystem

/// The reading side of a ledger's LMDB environment.
struct LMDBLog: ForwardingSource {
  private let environment: Environment

  init(_ environment: Environment) {
    self.environment = environment
  }

  /// Runs `body` on one view.
  func pinned<R>(_ body: (PinnedLog) throws -> R) throws(LedgerError) -> R {
    try LedgerError.mappingAll {
      try environment.read { transaction in
        try PinnedLog.with(transaction, LedgerTables(environment), body)
      }
    }
  }

  func metadata() throws(LedgerError) -> LedgerMetadata {
    try pinned { view in try view.metadata() }
  }

  func withSource<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try pinned { view in try body(view) }
  }

  /// The end of the log, if its frames agree, the position of the snapshot, and whether the files are sealed.
  func ends() throws(LedgerError) -> (log: LogEnd, snapshot: Position, isSealed: Bool) {
    try LedgerError.mappingAll {
      try environment.read { transaction in
        let tables = LedgerTables(environment)
        guard let log = tables[.log], let meta = tables[.meta] else {
          throw LedgerError.storeClosed
        }
        let (snapshot, deleted) = try Self.positions(of: transaction, meta)
        return (
          try TableAgreement.logEnd(of: transaction, log, deletedThrough: deleted), snapshot,
          Self.isSealed(transaction, meta)
        )
      }
    }
  }

  // MARK: In any transaction

  /// The summary of the snapshot.
  static func summary<Reader: TableReader & ~Copyable>(
    of transaction: borrowing Reader, _ meta: Table
  ) throws -> SnapshotSummary {
    let key = SnapshotSummary.key
    guard let bytes = try transaction.value(forKey: key.span, in: meta) else {
      return SnapshotSummary()
    }
    return try SnapshotSummary(decoding: Array(copying: bytes))
  }

  /// The position of the snapshot, and that up to which events were deleted.
  static func positions<Reader: TableReader & ~Copyable>(
    of transaction: borrowing Reader, _ meta: Table
  ) throws -> (snapshot: Position, deletedThrough: Position) {
    let key = SnapshotSummary.key
    guard let bytes = try transaction.value(forKey: key.span, in: meta) else {
      return (.start, .start)
    }
    return try SnapshotSummary.positions(in: bytes)
  }

  /// The position up to which events were deleted.
  static func deletedThrough<Reader: TableReader & ~Copyable>(
    of transaction: borrowing Reader, _ meta: Table
  ) throws -> Position {
    try positions(of: transaction, meta).deletedThrough
  }

  static func metadata<Reader: TableReader & ~Copyable>(
    of transaction: borrowing Reader, _ table: Table
  ) throws -> LedgerMetadata {
    let key = LedgerMetadata.key
    guard let bytes = try transaction.value(forKey: key.span, in: table) else {
      throw LedgerError(
        .corrupt, "The ledger's metadata is missing. Restore the ledger from a copy.")
    }
    return try LedgerMetadata(decoding: bytes)
  }

  /// Whether the ledger's record says that these files are sealed.
  ///
  /// Files whose metadata cannot be read count as not sealed; reading anything else from them reports why.
  static func isSealed<Reader: TableReader & ~Copyable>(
    _ transaction: borrowing Reader, _ meta: Table
  ) -> Bool {
    (try? metadata(of: transaction, meta).isSealed) ?? false
  }

  /// The attachment of an event that compaction may have deleted since the event was read.
  ///
  /// - Throws: `eventsDeleted` if the event was deleted; `corrupt`.
  static func attachment<Reader: TableReader & ~Copyable>(
    _ transaction: borrowing Reader, _ blob: Table, _ meta: Table, of position: Position,
    _ byteCount: Int
  ) throws -> [UInt8] {
    let key = Chunk.key(position, 0)
    if try transaction.value(forKey: key.span, in: blob) == nil {
      let deleted = try deletedThrough(of: transaction, meta)
      guard position > deleted else {
        throw LedgerError.attachmentDeleted(of: position, through: deleted)
      }
    }
    return try attachment(transaction, blob, of: position, byteCount)
  }

  static func attachment<Reader: TableReader & ~Copyable>(
    _ transaction: borrowing Reader, _ blob: Table, of position: Position, _ byteCount: Int
  ) throws(LedgerError) -> [UInt8] {
    var content: [UInt8] = []
    // Even with a damaged length, no more is allocated than the existing chunks need.
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

  /// The commit that wrote the event at a position; `nil` if the event does not exist.
  static func commit<Reader: TableReader & ~Copyable>(
    _ transaction: borrowing Reader, _ log: Table, at position: Position
  ) throws -> CommitID? {
    guard let entry = try transaction.floorEntry(position.rawValue, in: log) else { return nil }
    let header = try FrameView(checking: entry.value, key: entry.key).header
    return header.lastPosition >= position ? header.commit : nil
  }

  static func scan<Reader: TableReader & ~Copyable>(
    _ transaction: borrowing Reader, _ log: Table, _ meta: Table, after position: Position,
    limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws -> Position {
    let deleted = try deletedThrough(of: transaction, meta)
    guard position >= deleted else {
      throw LedgerError.eventsDeleted(after: position, through: deleted)
    }
    // No event is ever stored after the greatest position.
    guard position.rawValue < .max else { return position }
    let next = position.rawValue + 1
    let start = try transaction.floorKey(next, in: log) ?? next
    var walk = FrameWalk(after: position)
    var left = limit
    var isOver = true
    try transaction.scan(log, from: start) { key, bytes in
      let frame = try FrameView(checking: bytes, key: key)
      let known = walk.position
      guard try walk.isNew(frame.header) else { return true }
      try body(frame)
      left -= known.distance(to: walk.position)
      isOver = left > 0
      return isOver
    }
    if isOver {
      // Events missing at the end leave no gap, but LMDB still counts their frames.
      let end = try TableAgreement.logEnd(of: transaction, log, deletedThrough: deleted)
      guard walk.position >= end.position else {
        throw LedgerError.missingEvents(after: walk.position)
      }
    }
    return walk.position
  }
}
