package import LedgerPostgreSQL

/// A database with a schema of ledgers, on one server or on several.
package protocol TestDatabase: Sendable {
  /// A connection string for a role.
  func connection(as user: String) -> String
}

extension TestDatabase {
  /// A connection string for the owner of everything.
  package func connection() -> String { connection(as: "ledger") }

  /// Runs a statement as the owner of everything.
  @discardableResult
  package func run(
    _ sql: String, _ values: [Value] = [], as user: String = "ledger"
  ) throws -> Rows {
    try Connection(ConnectionSettings(connection(as: user))).run(sql, values)
  }
}
