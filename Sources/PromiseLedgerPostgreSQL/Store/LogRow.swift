import LedgerModel
import LedgerPostgreSQL

/// The row of a ledger: where its log ends.
struct LogRow: Sendable {
  let head: Position
  /// The commit that wrote the last event; `nil` if there is none.
  let commit: CommitID?
  /// The number of the last frame.
  let frameNumber: UInt32
  /// The number that rises whenever a session must know that none of its statements is still under way.
  let epoch: Int64
  let isOpen: Bool
  /// The server's time of the read.
  let time: Timestamp
  /// The encoded summary of the snapshot; `nil` if there is none.
  let summary: [UInt8]?
  /// The encoded metadata of the ledger, if it was read.
  let metadata: [UInt8]?

  /// The columns of the row, in the order in which they are read.
  static let columns = """
    l.head, l.last_session, l.last_commit, l.frame_number, l.epoch, l.state = 'open', \
    (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
    """

  /// - Parameter isWhole: Whether the summary of the snapshot and the metadata follow the columns.
  init(_ rows: Rows, isWhole: Bool = false) throws(PostgreSQLError) {
    head = Position(stored: try rows.int8(0, 0))
    commit =
      rows.isNull(0, 1)
      ? nil
      : CommitID(
        session: SessionID(entityID: EntityID(loadedFrom: rows.bytes(0, 1).span, at: 0)),
        number: UInt64(bitPattern: try rows.int8(0, 2)))
    frameNumber = UInt32(truncatingIfNeeded: try rows.int8(0, 3))
    epoch = try rows.int8(0, 4)
    isOpen = try rows.bool(0, 5)
    time = Timestamp(nanosecondsSinceEpoch: try rows.int8(0, 6) * 1_000)
    summary = isWhole && !rows.isNull(0, 7) ? rows.bytes(0, 7) : nil
    metadata = isWhole ? rows.bytes(0, 8) : nil
  }
}

/// The end of a log, and with it the whole log: it only grows.
struct LogEnd: Sendable, Hashable {
  let position: Position
  /// The commit that wrote the last event; `nil` if there is none.
  let commit: CommitID?
}

extension Position {
  /// The position in a column of type `bigint`.
  init(stored: Int64) { self.init(rawValue: UInt64(bitPattern: stored)) }

  /// The value for a column of type `bigint`. No event is ever stored beyond its largest number.
  var stored: Int64 { Int64(clamping: rawValue) }
}

extension EntityID {
  /// The id as a UUID.
  var value: Value { .uuid(bytes) }
}
