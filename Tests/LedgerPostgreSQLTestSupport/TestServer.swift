import LedgerModel
import LedgerSystem
package import PromiseLedgerPostgreSQL
import Synchronization

/// A PostgreSQL server for tests, without durability. It ends with the process, however that ends: the script that runs
/// it ends when its standard input does.
package final class TestServer: TestDatabase {
  /// The directory of the server's socket.
  private let directory: String
  /// The number in the name of the socket, and that of the TCP port if there is one.
  private let port: Int
  private let script: ServerScript

  /// The server of this process, which the first use starts.
  package static let shared = Result { try TestServer() }

  /// Whether there is a server to test with.
  package static var isAvailable: Bool {
    if case .success = shared { return true }
    return false
  }

  /// Starts a server of its own, for tests that stop it.
  ///
  /// - Parameters:
  ///   - settings: More settings of the server, as in `fsync=on`.
  ///   - tcpPort: A port of this host at which it also accepts connections.
  package init(_ settings: [String] = [], tcpPort: Int? = nil) throws {
    port = tcpPort ?? 5_432
    script = try ServerScript(
      "postgresql-server",
      settings + (tcpPort == nil ? [] : ["listen_addresses=127.0.0.1"]), port: port)
    directory = try script.line()
    try PostgreSQLLedger("schema", on: connection(), schema: Self.schema).createSchemaBlocking()
    try run("CREATE ROLE with_password")
  }

  /// Starts a server of its own that also accepts connections by TCP, without TLS.
  package static func onTCP() throws -> TestServer {
    // Another process may have a port already.
    for _ in 0..<4 {
      if let server = try? TestServer(tcpPort: .random(in: 20_000..<32_000)) { return server }
    }
    return try TestServer(tcpPort: .random(in: 20_000..<32_000))
  }

  /// A connection string for the server's TCP port.
  package var tcpConnection: String {
    "host=127.0.0.1 port=\(port) dbname=postgres user=ledger"
  }

  /// Kills the server's main process, and returns when the server is back.
  package func crash() throws {
    try script.send("crash")
    _ = try script.line()
  }

  package static let schema = "ledgers"
  private static let ledgerCount = Atomic<Int>(0)

  /// A connection string for the server.
  package func connection(as user: String) -> String {
    "host=\(directory) port=\(port) dbname=postgres user=\(user)"
  }

  /// The directory of the server's socket, and its port.
  var address: [String] { [directory, "\(port)"] }

  /// The variables by which programs of PostgreSQL find the server, as lines `NAME=value`.
  package var environment: [String] {
    ["PGHOST=\(directory)", "PGPORT=\(port)", "PGDATABASE=postgres", "PGUSER=ledger"]
  }

  /// A proxy before the server.
  package func makeProxy() throws -> TestProxy { try TestProxy(before: self, directory: directory) }

  /// A new name of a ledger, in the schema that all tests share.
  package func makePlace() throws -> PostgreSQLLedger {
    let number = Self.ledgerCount.wrappingAdd(1, ordering: .relaxed).newValue
    return try place("ledger \(number)")
  }

  /// A ledger in a schema.
  package func place(
    _ name: String, schema: String = TestServer.schema, as user: String = "ledger"
  ) throws -> PostgreSQLLedger {
    var place = try PostgreSQLLedger(name, on: connection(as: user), schema: schema)
    place.requiredDurability = .notSynced
    return place
  }
}
