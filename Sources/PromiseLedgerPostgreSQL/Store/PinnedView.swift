import LedgerModel
import LedgerPostgreSQL

/// The events and the snapshot of a ledger at one moment, in a transaction of one connection.
final class PinnedView: LedgerSource, Sendable {
  let sql: LedgerSQL
  private let connection: Connection
  let row: LogRow
  /// Whether the transaction ended in the round trip that began the view.
  private let isOver: Bool
  /// What was read in that round trip.
  private let prefetched: Prefetched

  /// Frames that a request is known to need.
  struct Prefetched: Sendable {
    /// The frames from the one that contains the event at the start on, as far as one slice goes.
    var frames: [(key: UInt64, bytes: [UInt8])] = []
    /// The commit that wrote the event at the requested position.
    var commit: (position: Position, id: CommitID?)?
  }

  /// The greatest number of events in one result, which is in memory as a whole.
  static let sliceCount = EventSlice.eventCount + 1

  /// Begins a view.
  ///
  /// - Parameters:
  ///   - request: Frames are read in the same round trip.
  ///   - isAlone: Whether the round trip also ends the transaction, because nothing else is read.
  init(
    _ sql: LedgerSQL, on connection: Connection, for request: ViewRequest? = nil,
    endsAtOnce isAlone: Bool = false
  ) throws(LedgerError) {
    self.sql = sql
    self.connection = connection
    isOver = isAlone
    let position = request?.eventsAfter
    var statements = [LedgerSQL.beginView, sql.row]
    if let request, let position {
      statements += [
        sql.frames(
          from: position, count: min(request.eventLimit, Self.sliceCount - 1) + 1,
          startsAtSnapshot: true),
        sql.frame(containing: position),
      ]
    }
    if isAlone { statements.append(LedgerSQL.commit) }
    let rows = try LedgerError.onServer(sql.names) { () throws(PostgreSQLError) in
      try connection.run(statements).rows
    }
    guard rows[1].count == 1 else { throw .ledgerRemoved }
    row = try LedgerError.onServer(sql.names) { () throws(PostgreSQLError) in
      try LogRow(rows[1], isWhole: true)
    }
    guard let position else {
      prefetched = Prefetched()
      return
    }
    prefetched = Prefetched(
      frames: try Self.frames(rows[2], sql.names),
      commit: (position, try Self.commit(at: position, of: Self.frames(rows[3], sql.names))))
  }

  /// Runs statements of the view.
  func run(_ statements: [Statement]) throws(LedgerError) -> [Rows] {
    guard !isOver else {
      throw LedgerError(.internalInconsistency, "A view was read after its transaction ended.")
    }
    return try LedgerError.onServer(sql.names) { () throws(PostgreSQLError) in
      try connection.run(statements).rows
    }
  }

  func run(_ statement: Statement) throws(LedgerError) -> Rows { try run([statement])[0] }

  private static func frames(
    _ rows: Rows, _ names: SchemaNames
  ) throws(LedgerError) -> [(key: UInt64, bytes: [UInt8])] {
    try LedgerError.onServer(names) { () throws(PostgreSQLError) in
      var frames: [(key: UInt64, bytes: [UInt8])] = []
      frames.reserveCapacity(rows.count)
      for index in rows.indices {
        frames.append((Position(stored: try rows.int8(index, 0)).rawValue, rows.bytes(index, 1)))
      }
      return frames
    }
  }

  private static func commit(
    at position: Position, of frames: [(key: UInt64, bytes: [UInt8])]
  ) throws(LedgerError) -> CommitID? {
    guard let frame = frames.first, position > .start else { return nil }
    let header = try FrameView(checking: frame.bytes.span, key: frame.key).header
    return header.lastPosition >= position ? header.commit : nil
  }

  // MARK: Reading events

  func head() throws(LedgerError) -> Position { row.head }

  private var deletedThrough: Position {
    get throws(LedgerError) {
      guard let summary = row.summary else { return .start }
      return try SnapshotSummary.positions(in: summary.span).deletedThrough
    }
  }

  func commit(at position: Position) throws(LedgerError) -> CommitID? {
    if let known = prefetched.commit, known.position == position { return known.id }
    guard position > .start, position <= row.head else { return nil }
    let found = try Self.frames(run(sql.frame(containing: position)), sql.names)
    return try Self.commit(at: position, of: found)
  }

  func read(
    after position: Position, limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) -> Position {
    let deleted = try deletedThrough
    guard position >= deleted else { throw .eventsDeleted(after: position, through: deleted) }
    var walk = FrameWalk(after: position)
    var left = limit
    while left > 0, walk.position < row.head {
      let before = walk.position
      // If the next frame is missing, the slice begins with the one before, which the walk refuses.
      for frame in try slice(after: before, count: min(left, Self.sliceCount)) {
        if left <= 0 { break }
        let view = try FrameView(checking: frame.bytes.span, key: frame.key)
        let known = walk.position
        guard try walk.isNew(view.header) else { continue }
        try body(view)
        left -= known.distance(to: walk.position)
      }
      guard walk.position > before else { throw .missingEvents(after: before) }
    }
    return walk.position
  }

  /// The frames from the one that contains the event after `position` on: enough for `count` events.
  private func slice(
    after position: Position, count: Int
  ) throws(LedgerError) -> ArraySlice<(key: UInt64, bytes: [UInt8])> {
    let next = position.advanced(by: 1)
    let known = prefetched.frames
    // The last frame that begins at or before the next event.
    let start = known.partitioningIndex { $0.key > next.rawValue } - 1
    if start >= 0, let last = known.last, try Self.end(of: last) > position {
      return known[start...]
    }
    return try Self.frames(run(sql.frames(from: next, count: count)), sql.names)[...]
  }

  private static func end(
    of frame: (key: UInt64, bytes: [UInt8])
  ) throws(LedgerError) -> Position {
    try FrameView(checking: frame.bytes.span, key: frame.key).header.lastPosition
  }

  /// The header of the last frame; `nil` if there is none.
  func lastFrame() throws(LedgerError) -> FrameHeader? {
    let frames = try Self.frames(run(sql.lastFrame), sql.names)
    guard let last = frames.first else { return nil }
    return try FrameView(checking: last.bytes.span, key: last.key).header
  }

  // MARK: Reading the snapshot

  func attachments(
    _ wanted: [AttachmentReference]
  ) throws(LedgerError) -> [Result<[UInt8], LedgerError>] {
    let deleted = try deletedThrough
    return try PostgreSQLTables(self).lookUpAttachments(wanted).map { wanted, found in
      guard found == nil, wanted.position <= deleted else {
        return PostgreSQLTables.checked(found, wanted)
      }
      return .failure(.attachmentDeleted(of: wanted.position, through: deleted))
    }
  }

  func readSnapshot<R>(
    _ body: (any SnapshotTables) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try body(PostgreSQLTables(self))
  }
}

extension PinnedView {
  /// The bytes of frames and attachments are counted in the tables, and those of records in the summary.
  func usedByteCount() throws(LedgerError) -> Int {
    let rows = try run(sql.usedByteCount)
    let recordByteCount = try row.summary.map { (bytes) throws(LedgerError) in
      try SnapshotSummary(decoding: bytes).counts.bytes
    }
    return try LedgerError.onServer(sql.names) { () throws(PostgreSQLError) in
      Int(try rows.int8(0, 0)) + Int(recordByteCount ?? 0)
    }
  }
}

extension LedgerError {
  static var ledgerRemoved: LedgerError {
    LedgerError(.notFound, "The ledger was removed from its schema. Close it; it cannot be read.")
  }
}
