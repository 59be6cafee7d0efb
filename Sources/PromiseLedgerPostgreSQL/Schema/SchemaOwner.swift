import LedgerModel
import LedgerPostgreSQL

/// The work that only the owner of a schema may do: creating it and its ledgers, migrating it, and granting rights.
struct SchemaOwner {
  let names: SchemaNames
  let connection: Connection

  /// Creates the schema, or brings an older one to the version of this build. Calls at the same time take turns.
  ///
  /// - Throws: `incompatibleFormat` if the schema is newer, `permissionDenied`, `notALedger` if the schema has
  ///   tables of something else.
  func createOrMigrate() throws(LedgerError) {
    try inTransaction { () throws(LedgerError) in
      // For one that an administrator made, no right to create schemas is needed.
      if try !schemaExists() { try run("CREATE SCHEMA \(names.schema)") }
      // Without a key, no row could be deleted in a database that publishes all tables.
      try run("CREATE TABLE IF NOT EXISTS \(names.format) (version int PRIMARY KEY)")
      let version = try SchemaVersion.stored(in: names, connection) ?? 0
      guard version <= SchemaVersion.current else { throw .newerSchema(names, version) }
      guard version < SchemaVersion.current else { return }
      for step in SchemaVersion.steps[Int(version)...] {
        for sql in step(names) { try run(sql) }
      }
      try run("DELETE FROM \(names.format)")
      try run("INSERT INTO \(names.format) VALUES ($1)", [.int4(SchemaVersion.current)])
    }
  }

  private func schemaExists() throws(LedgerError) -> Bool {
    try LedgerError.onServer(names) { () throws(PostgreSQLError) in
      try connection.run(
        "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)", [.text(names.name)]
      ).bool(0, 0)
    }
  }

  /// Lets a role of the server use the ledgers of the schema.
  func grant(_ access: PostgreSQLLedger.Access, to role: String) throws(LedgerError) {
    guard let role = Identifier.quoted(role) else {
      throw LedgerError(.invalidArgument, "The role has no valid name.")
    }
    try inTransaction { () throws(LedgerError) in
      for sql in access.grants(on: names) { try run("GRANT \(sql) TO \(role)") }
    }
  }

  /// Runs `body` in a transaction of which there is one at a time.
  ///
  /// Its settings are those of sessions, whatever the role has. They end with the transaction, because a pooler may
  /// lend the connection to another client after it.
  func inTransaction(_ body: () throws(LedgerError) -> Void) throws(LedgerError) {
    // At a stricter level, the statements after the wait for the lock would not see what its last holder made.
    try run("BEGIN ISOLATION LEVEL READ COMMITTED")
    do throws(LedgerError) {
      try run("SET LOCAL synchronous_commit = on")
      // Without it, two connections that create the same schema would both fail.
      try run("SELECT pg_advisory_xact_lock(hashtext($1))", [.text(names.schema)])
      try body()
      try run("COMMIT")
    } catch {
      // The first error says more than one of the roll-back.
      _ = try? connection.run("ROLLBACK")
      throw error
    }
  }

  private func run(_ sql: String, _ values: [Value] = []) throws(LedgerError) {
    try LedgerError.onServer(names) { () throws(PostgreSQLError) in
      _ = try connection.run(sql, values)
    }
  }
}

extension PostgreSQLLedger.Access {
  /// The rights, between the words GRANT and TO.
  fileprivate func grants(on names: SchemaNames) -> [String] {
    let reading = [
      "USAGE ON SCHEMA \(names.schema)", "SELECT ON ALL TABLES IN SCHEMA \(names.schema)",
    ]
    let writing =
      reading + [
        "INSERT ON \(names.frame), \(names.attachment)",
        "UPDATE (head, epoch, last_session, last_commit, frame_number, used) ON \(names.ledger)",
        "INSERT, UPDATE, DELETE ON \(names.session)",
      ]
    switch self {
    case .reading: return reading
    case .writing: return writing
    case .compacting:
      return writing + [
        "INSERT, UPDATE, DELETE ON \(names.record)", "UPDATE ON \(names.snapshot)",
        "DELETE ON \(names.frame), \(names.attachment)",
      ]
    }
  }
}
