import LedgerModel
import LedgerPostgreSQL

/// The statements about one ledger. They only make text and parameters; nothing here waits for the server.
struct LedgerSQL: Sendable {
  let names: SchemaNames
  /// The number of the ledger, which is `$1` of every statement.
  let number: Int32

  private func statement(
    _ sql: String, _ values: Value..., isPrepared: Bool = false
  ) -> Statement {
    Statement(sql, [.int4(number)] + values, isPrepared: isPrepared)
  }

  // MARK: Transactions

  /// Begins a transaction in which all reads see the ledger at one moment.
  static let beginView = Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
  static let begin = Statement("BEGIN ISOLATION LEVEL READ COMMITTED")
  static let commit = Statement("COMMIT")
  static let rollback = Statement("ROLLBACK")

  /// Limits the waits for locks in the current transaction.
  static func limitLockWaits(to timeout: Duration) -> Statement {
    // 0 would mean no limit.
    let milliseconds = max(1, min(timeout / .milliseconds(1), 86_400_000))
    return Statement(
      "SELECT set_config('lock_timeout', $1, true)", [.text("\(Int(milliseconds))ms")],
      isPrepared: true)
  }

  // MARK: The log

  /// The row of the ledger, with the summary of the snapshot and the metadata.
  var row: Statement {
    statement(
      """
      SELECT \(LogRow.columns), s.summary, l.meta
      FROM \(names.ledger) l JOIN \(names.snapshot) s USING (ledger) WHERE l.ledger = $1
      """)
  }

  /// The row of the ledger. Other writers wait until the transaction ends.
  var lockedRow: Statement {
    statement(
      "SELECT \(LogRow.columns) FROM \(names.ledger) l WHERE l.ledger = $1 FOR NO KEY UPDATE",
      isPrepared: true)
  }

  /// Raises the epoch once no other transaction has locked the row, and returns the row.
  var raisedEpoch: Statement {
    statement(
      """
      UPDATE \(names.ledger) AS l SET epoch = l.epoch + 1 WHERE l.ledger = $1
      RETURNING \(LogRow.columns)
      """)
  }

  /// The frames from the one that contains the event at a position on, up to one that begins at another.
  ///
  /// - Parameter startsAtSnapshot: Whether the snapshot's position counts, if it is further on, and the frames end
  ///   as much later.
  func frames(
    from position: Position, count: Int, startsAtSnapshot: Bool = false
  ) -> Statement {
    let start =
      startsAtSnapshot
      ? "(SELECT GREATEST($2, position) FROM \(names.snapshot) WHERE ledger = $1)" : "$2::bigint"
    return statement(
      """
      WITH start AS MATERIALIZED (SELECT \(start) AS at)
      SELECT f.position, f.body FROM start, \(names.frame) f
      WHERE f.ledger = $1 AND f.position <= LEAST(start.at, 9223372036854775807 - $3) + $3
        AND f.position >= COALESCE(
          (SELECT max(position) FROM \(names.frame) WHERE ledger = $1 AND position <= start.at), 0)
      ORDER BY f.position
      """, .int8(position.stored), .int8(Int64(count)))
  }

  /// The frame that contains the event at a position, if the log reaches it.
  func frame(containing position: Position) -> Statement {
    statement(
      """
      SELECT position, body FROM \(names.frame) WHERE ledger = $1 AND position <= $2
      ORDER BY position DESC LIMIT 1
      """, .int8(position.stored))
  }

  /// Appends if the row is as it was known, and returns the new row; otherwise, no row changes, and none is returned.
  ///
  /// That its epoch is the same shows that no session has judged a lost commit since, and that its last commit is
  /// the same shows that the log has the same past.
  func append(_ appended: AppendedFrames) -> Statement {
    let attaching = appended.hasAttachments ? ", attached AS (\(insertAttachments))" : ""
    return Statement(
      """
      WITH moved AS (\(update)), added AS (\(insertFrames))\(attaching) SELECT * FROM moved
      """,
      [.int4(number)] + appended.rowValues + appended.baseValues + appended.entryValues,
      isPrepared: true)
  }

  private var update: String {
    """
    UPDATE \(names.ledger) AS l SET head = $2, last_session = $3, last_commit = $4,
      frame_number = $5, used = used + $6
    WHERE ledger = $1 AND state = 'open' AND head = $7 AND epoch = $8
      AND (head = 0 OR (last_session = $9 AND last_commit = $10)) RETURNING \(LogRow.columns)
    """
  }

  private var insertFrames: String {
    """
    INSERT INTO \(names.frame) (ledger, position, body)
    SELECT $1, f.position, f.body FROM unnest($11::bigint[], $12::bytea[]) AS f(position, body)
    WHERE EXISTS (SELECT FROM moved)
    """
  }

  private var insertAttachments: String {
    """
    INSERT INTO \(names.attachment) (ledger, position, byte_count, crc, body)
    SELECT $1, a.position, length(a.body), a.crc, a.body
    FROM unnest($13::bigint[], $14::bytea[], $15::bigint[]) AS a(position, body, crc)
    WHERE EXISTS (SELECT FROM moved)
    """
  }

  /// The last frame.
  var lastFrame: Statement {
    statement(
      """
      SELECT position, body FROM \(names.frame) WHERE ledger = $1 ORDER BY position DESC LIMIT 1
      """)
  }

  // MARK: Building a ledger

  func insert(frames: [(key: UInt64, bytes: [UInt8])]) -> Statement {
    Statement(
      """
      INSERT INTO \(names.frame) (ledger, position, body)
      SELECT $1, f.position, f.body FROM unnest($2::bigint[], $3::bytea[]) AS f(position, body)
      """, [.int4(number)] + AppendedFrames.values(frames))
  }

  func insert(attachments: [(position: Position, bytes: [UInt8])]) -> Statement {
    Statement(
      """
      INSERT INTO \(names.attachment) (ledger, position, byte_count, crc, body)
      SELECT $1, a.position, length(a.body), a.crc, a.body
      FROM unnest($2::bigint[], $3::bytea[], $4::bigint[]) AS a(position, body, crc)
      """, [.int4(number)] + AppendedFrames.values(attachments))
  }

  /// Lets the log end with the last event of a frame.
  func setHead(_ last: FrameHeader) -> Statement {
    statement(
      """
      UPDATE \(names.ledger) SET head = $2, last_session = $3, last_commit = $4, frame_number = $5
      WHERE ledger = $1
      """, .int8(last.lastPosition.stored), last.commit.session.entityID.value,
      .int8(Int64(bitPattern: last.commit.number)), .int8(Int64(last.number)))
  }

  func addUsed(_ byteCount: Int) -> Statement {
    statement(
      "UPDATE \(names.ledger) SET used = used + $2 WHERE ledger = $1", .int8(Int64(byteCount)))
  }

  // MARK: Attachments

  func attachments(at positions: [Position]) -> Statement {
    statement(
      """
      SELECT a.position, a.crc, a.body
      FROM unnest($2::bigint[]) WITH ORDINALITY AS wanted(position, number)
      LEFT JOIN \(names.attachment) a ON a.ledger = $1 AND a.position = wanted.position
      ORDER BY wanted.number
      """, .int8Array(positions.map(\.stored)))
  }

  func attachedPositions(from first: Position, through last: Position) -> Statement {
    statement(
      """
      SELECT position, byte_count FROM \(names.attachment)
      WHERE ledger = $1 AND position BETWEEN $2 AND $3 ORDER BY position
      """, .int8(first.stored), .int8(last.stored))
  }

  var attachmentCount: Statement {
    statement("SELECT count(*) FROM \(names.attachment) WHERE ledger = $1")
  }

  // MARK: The snapshot

  /// The summary of the snapshot, and whether the ledger is open. Other compactions wait until the transaction ends;
  /// commits do not.
  var lockedSummary: Statement {
    statement(
      """
      SELECT s.summary, l.state = 'open'
      FROM \(names.snapshot) s JOIN \(names.ledger) l USING (ledger)
      WHERE s.ledger = $1 FOR NO KEY UPDATE OF s
      """)
  }

  func setSummary(_ summary: SnapshotSummary) -> Statement {
    statement(
      "UPDATE \(names.snapshot) SET position = $2, summary = $3 WHERE ledger = $1",
      .int8(summary.position.stored), .bytes(summary.encoded))
  }

  func records(_ keys: [[UInt8]], in table: RecordTable) -> Statement {
    statement(
      """
      SELECT r.value FROM unnest($3::bytea[]) WITH ORDINALITY AS wanted(key, number)
      LEFT JOIN \(names.record) r ON r.ledger = $1 AND r.tab = $2 AND r.key = wanted.key
      ORDER BY wanted.number
      """, .int2(table.rawValue), .bytesArray(keys))
  }

  func entries(
    of table: RecordTable, from key: [UInt8], isAfter: Bool, limit: Int
  ) -> Statement {
    statement(
      """
      SELECT key, value FROM \(names.record)
      WHERE ledger = $1 AND tab = $2 AND key \(isAfter ? ">" : ">=") $3 ORDER BY key LIMIT $4
      """, .int2(table.rawValue), .bytes(key), .int8(Int64(limit)))
  }

  func recordCount(of table: RecordTable) -> Statement {
    statement(
      "SELECT count(*) FROM \(names.record) WHERE ledger = $1 AND tab = $2",
      .int2(table.rawValue))
  }

  var frameCount: Statement {
    statement("SELECT count(*) FROM \(names.frame) WHERE ledger = $1")
  }

  func putRecords(
    _ entries: [(key: [UInt8], value: [UInt8])], in table: RecordTable
  ) -> Statement {
    statement(
      """
      INSERT INTO \(names.record) AS r (ledger, tab, key, value)
      SELECT $1, $2, e.key, e.value FROM unnest($3::bytea[], $4::bytea[]) AS e(key, value)
      ON CONFLICT (ledger, tab, key) DO UPDATE SET value = EXCLUDED.value
      """, .int2(table.rawValue), .bytesArray(entries.map(\.key)),
      .bytesArray(entries.map(\.value)))
  }

  func deleteRecords(_ keys: [[UInt8]], in table: RecordTable) -> Statement {
    statement(
      "DELETE FROM \(names.record) WHERE ledger = $1 AND tab = $2 AND key = ANY($3)",
      .int2(table.rawValue), .bytesArray(keys))
  }

  /// Deletes frames, and returns the number of bytes that this freed.
  func deleteFrames(at positions: [Position]) -> Statement {
    statement(
      """
      WITH gone AS (
        DELETE FROM \(names.frame) WHERE ledger = $1 AND position = ANY($2) RETURNING length(body))
      UPDATE \(names.snapshot) SET used = used - (SELECT COALESCE(sum(length), 0) FROM gone)
      WHERE ledger = $1
      """, .int8Array(positions.map(\.stored)))
  }

  func deleteAttachments(at positions: [Position]) -> Statement {
    statement(
      """
      WITH gone AS (
        DELETE FROM \(names.attachment) WHERE ledger = $1 AND position = ANY($2)
        RETURNING byte_count)
      UPDATE \(names.snapshot) SET used = used - (SELECT COALESCE(sum(byte_count), 0) FROM gone)
      WHERE ledger = $1
      """, .int8Array(positions.map(\.stored)))
  }

  var usedByteCount: Statement {
    statement(
      """
      SELECT l.used + s.used FROM \(names.ledger) l JOIN \(names.snapshot) s USING (ledger)
      WHERE l.ledger = $1
      """)
  }
}

/// The tables whose entries are rows of the table `record`. Their numbers are stored and never change.
enum RecordTable: Int16, Sendable, CaseIterable {
  case entities = 1
  case parts = 2
  case open = 3
  case tombstones = 4

  /// - Returns: `nil` for a table that is stored in another way.
  init?(_ table: SnapshotTable) {
    switch table {
    case .entities: self = .entities
    case .parts: self = .parts
    case .open: self = .open
    case .tombstones: self = .tombstones
    case .meta, .log, .blob: return nil
    }
  }
}
