import LedgerModel
import LedgerPostgreSQL

/// What identifies a ledger in its schema.
struct LedgerEntry: Sendable {
  /// The number by which all tables name the ledger.
  let number: Int32
  let metadata: LedgerMetadata

  /// Returns the entry of a ledger.
  ///
  /// - Throws: `notFound`; `corrupt` if its metadata is damaged.
  static func find(
    _ name: String, in names: SchemaNames, _ connection: Connection
  ) throws(LedgerError) -> LedgerEntry {
    guard let found = try lookUp(name, in: names, connection) else {
      throw .noSuchLedger(name, names)
    }
    return found
  }

  /// Returns the entry of a ledger, which is created if there is none.
  static func findOrCreate(
    _ name: String, in names: SchemaNames, _ metadata: LedgerMetadata, _ connection: Connection
  ) throws(LedgerError) -> LedgerEntry {
    if let found = try lookUp(name, in: names, connection) { return found }
    do throws(PostgreSQLError) {
      _ = try connection.run([insertion(of: name, in: names, metadata, state: "open")])
    } catch {
      // No right that is granted to writers allows it.
      guard error.state == .missingRight else { throw LedgerError(error, in: names) }
      throw .mayNotCreate(name, names, cause: error)
    }
    return try find(name, in: names, connection)
  }

  /// Inserts the row of a ledger and that of its snapshot: both, or none if the name is taken.
  static func insertion(
    of name: String, in names: SchemaNames, _ metadata: LedgerMetadata, state: String
  ) -> Statement {
    Statement(
      """
      WITH new AS (
        INSERT INTO \(names.ledger) AS l (id, name, meta, state) VALUES ($1, $2, $3, $4)
        ON CONFLICT (name) DO NOTHING RETURNING l.ledger)
      INSERT INTO \(names.snapshot) (ledger) SELECT ledger FROM new
      """,
      [
        metadata.ledgerID.entityID.value, .text(name), .bytes(metadata.encoded), .text(state),
      ])
  }

  /// - Throws: `sealed` if the ledger is being imported.
  private static func lookUp(
    _ name: String, in names: SchemaNames, _ connection: Connection
  ) throws(LedgerError) -> LedgerEntry? {
    let found = try LedgerError.onServer(names) {
      () throws(PostgreSQLError) -> (number: Int32, metadata: [UInt8], isBuilding: Bool)? in
      let rows = try connection.run(
        "SELECT ledger, meta, state = 'building' FROM \(names.ledger) WHERE name = $1",
        [.text(name)])
      return rows.count == 0
        ? nil : (try rows.int4(0, 0), rows.bytes(0, 1), try rows.bool(0, 2))
    }
    guard let found else { return nil }
    guard !found.isBuilding else { throw .ledgerIsBuilding(name) }
    return LedgerEntry(
      number: found.number, metadata: try LedgerMetadata(decoding: found.metadata.span))
  }
}
