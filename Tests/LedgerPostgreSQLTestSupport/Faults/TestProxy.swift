package import PromiseLedgerPostgreSQL
import Synchronization

/// A proxy before a test server, and the names of ledgers that are reached through it.
package struct TestProxy: Sendable {
  package let proxy: ServerProxy
  /// The name by which the server knows the connections.
  package let application: String
  private let server: TestServer
  package let connection: String

  private static let count = Atomic<Int>(0)

  init(before server: TestServer, directory: String) throws {
    let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    // The number of the port is a part of the name of a local socket.
    let port = 6_000 + number
    self.server = server
    application = "proxy-\(number)"
    connection =
      "host=\(directory) port=\(port) dbname=postgres user=ledger application_name=\(application)"
    proxy = try ServerProxy(
      at: "\(directory)/.s.PGSQL.\(port)", to: "\(directory)/.s.PGSQL.5432")
  }

  /// A ledger, or a new one, through the proxy.
  package func place(_ place: PostgreSQLLedger? = nil) throws -> PostgreSQLLedger {
    let name = try place?.name ?? server.makePlace().name
    var place = try PostgreSQLLedger(name, on: connection, schema: TestServer.schema)
    place.requiredDurability = .notSynced
    return place
  }
}
