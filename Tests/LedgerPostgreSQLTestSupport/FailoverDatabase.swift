package import PromiseLedgerPostgreSQL

/// A database on several servers, of which one is the primary.
package protocol FailoverDatabase: TestDatabase {
  /// Makes another server the primary, and returns when all are connected again.
  func failOver() throws

  /// A ledger with the durability that the servers promise.
  func place(_ name: String) throws -> PostgreSQLLedger
}
