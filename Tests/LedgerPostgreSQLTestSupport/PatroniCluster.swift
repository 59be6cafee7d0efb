package import PromiseLedgerPostgreSQL
import Synchronization

/// Three servers that Patroni runs, with etcd beside them. They end with the process, however that ends.
package final class PatroniCluster: FailoverDatabase {
  /// A reason for another server to become the primary.
  package enum Fault: String, Sendable, CaseIterable {
    /// As planned.
    case switchover = "switch over"
    /// All processes of the primary are killed, and those of Patroni beside it.
    case kill
    /// They stand still for longer than their lease. The old primary then goes on for a while, because its Patroni
    /// is slower.
    case freeze
    /// Before the primary is killed, the standbys receive nothing from it.
    case cutOff = "cut off"
  }

  private let addresses: String
  private let script: ServerScript
  private let isSynchronous: Bool
  private let count = Atomic<Int>(0)

  /// - Parameter isSynchronous: Whether a commit waits for a standby.
  package init(isSynchronous: Bool = true) throws {
    self.isSynchronous = isSynchronous
    script = try ServerScript(
      "postgresql-patroni", [isSynchronous ? "synchronous" : "asynchronous"])
    addresses = try script.line()
    try PostgreSQLLedger("schema", on: connection(), schema: TestServer.schema)
      .createSchemaBlocking()
  }

  /// A connection string for the server that is the primary at that time.
  package func connection(as user: String) -> String {
    "host=\(addresses) dbname=postgres user=\(user) sslmode=disable"
  }

  /// How often another server became the primary.
  package var failoverCount: Int { count.load(ordering: .relaxed) }

  /// Makes another server the primary, and returns when all are connected again.
  package func failOver(by fault: Fault) throws {
    try script.send(fault.rawValue)
    guard try script.line() == "whole" else { throw ServerScript.MissingServer() }
    count.wrappingAdd(1, ordering: .relaxed)
  }

  /// Makes another server the primary, by each fault in turn.
  package func failOver() throws {
    try failOver(by: Fault.allCases[failoverCount % Fault.allCases.count])
  }

  /// A ledger whose commits must be on a standby, too, if there is any way.
  package func place(_ name: String) throws -> PostgreSQLLedger {
    var place = try PostgreSQLLedger(name, on: connection(), schema: TestServer.schema)
    place.requiredDurability = isSynchronous ? .replicated : .oneDisk
    return place
  }
}
