import LedgerModel
import LedgerPostgreSQL

/// The versions of the schema, each with the statements that lead to it from the version before.
enum SchemaVersion {
  /// The version that this build writes, and the only one that it reads.
  static var current: Int32 { Int32(steps.count) }

  /// The statements from each version to the next, on tables with these names.
  static var steps: [(SchemaNames) -> [String]] { [tables] }

  /// Returns the version of a schema; `nil` if it has none yet.
  ///
  /// - Throws: `notALedger` if there is no table of versions; `unavailable`.
  static func stored(
    in names: SchemaNames, _ connection: Connection
  ) throws(LedgerError) -> Int32? {
    try LedgerError.onServer(names) { () throws(PostgreSQLError) in
      let rows = try connection.run("SELECT version FROM \(names.format)")
      return rows.count == 0 ? nil : try rows.int4(0, 0)
    }
  }

  /// - Throws: `incompatibleFormat` if the schema has another version than this build reads; `notALedger`.
  static func check(_ names: SchemaNames, _ connection: Connection) throws(LedgerError) {
    let version = try stored(in: names, connection) ?? 0
    if version > current { throw .newerSchema(names, version) }
    if version < current { throw .olderSchema(names, version) }
  }

  /// The first version.
  ///
  /// Frames, records and the summary of the snapshot are byte for byte those of the file format, and `bytea` sorts
  /// as LMDB does. A frame is stored in its row, never compressed or elsewhere, so that two fit into a page. The
  /// row of a ledger changes with each commit; with most of its page free, the new version stays in the page. The id
  /// of a ledger is not unique: an import keeps it, and a copy may stand beside the original under another name.
  private static func tables(_ names: SchemaNames) -> [String] {
    [
      """
      CREATE TABLE \(names.ledger) (
        ledger int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id uuid NOT NULL,
        name text NOT NULL UNIQUE,
        meta bytea NOT NULL,
        state text NOT NULL CHECK (state IN ('building', 'open', 'sealed')),
        head bigint NOT NULL DEFAULT 0,
        epoch bigint NOT NULL DEFAULT 0,
        last_session uuid,
        last_commit bigint,
        frame_number bigint NOT NULL DEFAULT 0,
        used bigint NOT NULL DEFAULT 0
      ) WITH (fillfactor = 10)
      """,
      """
      CREATE TABLE \(names.frame) (
        ledger int NOT NULL,
        position bigint NOT NULL,
        body bytea NOT NULL,
        PRIMARY KEY (ledger, position)
      )
      """,
      "ALTER TABLE \(names.frame) ALTER COLUMN body SET STORAGE PLAIN",
      """
      CREATE TABLE \(names.attachment) (
        ledger int NOT NULL,
        position bigint NOT NULL,
        byte_count int NOT NULL,
        crc bigint NOT NULL,
        body bytea NOT NULL,
        PRIMARY KEY (ledger, position)
      )
      """,
      """
      CREATE TABLE \(names.record) (
        ledger int NOT NULL,
        tab smallint NOT NULL,
        key bytea NOT NULL,
        value bytea NOT NULL,
        PRIMARY KEY (ledger, tab, key)
      )
      """,
      """
      CREATE TABLE \(names.snapshot) (
        ledger int PRIMARY KEY,
        position bigint NOT NULL DEFAULT 0,
        summary bytea,
        used bigint NOT NULL DEFAULT 0
      )
      """,
      """
      CREATE TABLE \(names.session) (
        ledger int NOT NULL,
        session uuid NOT NULL,
        state text NOT NULL CHECK (state IN ('alive', 'frozen', 'died')),
        beat bigint NOT NULL DEFAULT 0,
        beat_at timestamptz NOT NULL DEFAULT now(),
        host text NOT NULL,
        PRIMARY KEY (ledger, session)
      )
      """,
    ]
  }
}
