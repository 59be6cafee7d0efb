package import LedgerModel
import LedgerPostgreSQL
import LedgerSystem
package import PromiseLedgerPostgreSQL

/// What tests see of a ledger beside its sessions, and how they change it behind their backs.
extension TestDatabase {
  private var schema: String { TestServer.schema }

  private func number(of place: PostgreSQLLedger) throws -> Int32 {
    try run("SELECT ledger FROM \(schema).ledger WHERE name = $1", [.text(place.name)]).int4(0, 0)
  }

  /// The commit that wrote each event, by the frames in their table.
  package func log(of place: PostgreSQLLedger) throws -> [Position: CommitID] {
    let rows = try run(
      "SELECT position, body FROM \(schema).frame WHERE ledger = $1 ORDER BY position",
      [.int4(number(of: place))])
    var log: [Position: CommitID] = [:]
    for row in rows.indices {
      let key = UInt64(try rows.int8(row, 0))
      let header = try FrameView(checking: rows.bytes(row, 1).span, key: key).header
      for index in 0..<header.eventCount {
        log[header.firstPosition.advanced(by: index)] = header.commit
      }
    }
    return log
  }

  /// How often the epoch of a ledger was raised, in order to judge the outcome of a commit.
  package func epoch(of place: PostgreSQLLedger) throws -> Int {
    Int(
      try run("SELECT epoch FROM \(schema).ledger WHERE name = $1", [.text(place.name)]).int8(0, 0))
  }

  /// The number of rows that a ledger has, in any table.
  package func rowCount(of place: PostgreSQLLedger) throws -> Int64 {
    try run("SELECT count(*) FROM \(schema).ledger WHERE name = $1", [.text(place.name)])
      .int8(0, 0)
  }

  /// Waits until a connection of the server waits for something, or a minute has passed.
  ///
  /// - Parameter condition: About `pg_stat_activity`.
  package func awaitWait(where condition: String) throws {
    let pause = WakeSemaphore()
    for _ in 0..<600 where try rowCount(of: "pg_stat_activity WHERE \(condition)") == 0 {
      _ = pause.wait(timeout: .milliseconds(100))
    }
  }

  /// The number of rows of a table, which a condition may follow.
  package func rowCount(of table: String) throws -> Int64 {
    try run("SELECT count(*) FROM \(table)").int8(0, 0)
  }

  /// Leaves what an import leaves whose process died.
  package func leaveUnfinishedImport(of place: PostgreSQLLedger) throws {
    try run(
      """
      WITH new AS (
        INSERT INTO \(schema).ledger (id, name, meta, state, head)
        VALUES (gen_random_uuid(), $1, '', 'building', 1) RETURNING ledger)
      INSERT INTO \(schema).frame SELECT ledger, 1, '\\x00' FROM new
      """, [.text(place.name)])
  }

  /// Changes columns of a ledger's row.
  package func damageRow(of place: PostgreSQLLedger, _ change: String) throws {
    try run("UPDATE \(schema).ledger SET \(change) WHERE name = $1", [.text(place.name)])
  }

  /// Adds a session that is alive, whose newest sign of life is older than an interval by the server's clock.
  package func addSession(
    _ session: SessionID, to place: PostgreSQLLedger, beatAge interval: String
  ) throws {
    try run(
      """
      INSERT INTO \(schema).session (ledger, session, state, beat_at, host)
      VALUES ($1, $2, 'alive', now() - interval '\(interval)', 'elsewhere')
      """, [.int4(number(of: place)), .uuid(session.entityID.bytes)])
  }

  /// Copies the log of a ledger, as a backup of the database does.
  ///
  /// - Returns: What ``restoreLog(of:_:)`` takes.
  package func copyOfLog(of place: PostgreSQLLedger) throws -> String {
    let number = try number(of: place)
    let copy = "\(schema).copy_\(number)"
    try run("CREATE TABLE \(copy)_row AS SELECT * FROM \(schema).ledger WHERE ledger = \(number)")
    try run("CREATE TABLE \(copy)_log AS SELECT * FROM \(schema).frame WHERE ledger = \(number)")
    return copy
  }

  /// Puts a copy of the log in its place, under living sessions.
  package func restoreLog(of place: PostgreSQLLedger, _ copy: String) throws {
    try run(
      """
      WITH gone AS (DELETE FROM \(schema).frame WHERE ledger = \(number(of: place))
        AND position NOT IN (SELECT position FROM \(copy)_log))
      UPDATE \(schema).ledger l SET head = c.head, epoch = c.epoch, last_session = c.last_session,
        last_commit = c.last_commit, frame_number = c.frame_number, used = c.used
      FROM \(copy)_row c WHERE l.ledger = c.ledger
      """)
  }

  /// Ends the server's processes for connections of an application.
  package func terminateConnections(of application: String) throws {
    try run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
      [.text(application)])
  }
}
