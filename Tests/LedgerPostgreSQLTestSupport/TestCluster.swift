package import PromiseLedgerPostgreSQL

/// A primary server with two standbys, one of which must have each commit. It ends with the process, however that ends.
package final class TestCluster: FailoverDatabase {
  private let directory: String
  private let script: ServerScript

  package init(_ settings: [String] = []) throws {
    script = try ServerScript("postgresql-cluster", settings)
    directory = try script.line()
    try PostgreSQLLedger("schema", on: connection(), schema: TestServer.schema)
      .createSchemaBlocking()
  }

  /// Connection strings for the owner of everything on each server; at the start, the first one is the primary.
  package var nodes: [String] {
    (5_432...5_434).map { "host=\(directory) port=\($0) dbname=postgres user=ledger" }
  }

  /// A connection string for the server that is the primary at that time.
  package func connection(as user: String) -> String {
    connection(as: user, toFirstOf: [5_432, 5_433, 5_434])
  }

  /// A connection string for the first of these ports whose server accepts writes.
  package func connection(as user: String = "ledger", toFirstOf ports: [Int]) -> String {
    let hosts = Array(repeating: directory, count: ports.count).joined(separator: ",")
    let ports = ports.map { "\($0)" }.joined(separator: ",")
    return "host=\(hosts) port=\(ports) dbname=postgres user=\(user)"
  }

  /// Kills the primary and promotes a standby, and returns when the cluster is whole again.
  package func failOver() throws {
    try script.send("fail over")
    guard try script.line() == "whole" else { throw ServerScript.MissingServer() }
  }

  /// A ledger whose commits must be on a standby, too.
  package func place(_ name: String) throws -> PostgreSQLLedger {
    var place = try PostgreSQLLedger(name, on: connection(), schema: TestServer.schema)
    place.requiredDurability = .replicated
    return place
  }
}
