import LedgerModel
import LedgerSystem
package import PromiseLedgerPostgreSQL
import Synchronization

/// A PostgreSQL server for tests, without durability. It ends with the process, however that ends: the script that runs
/// it ends when its standard input does.
package final class TestServer: Sendable {
  /// The directory of the server's socket.
  private let directory: String
  private let script: ChildProcess

  /// The server of this process, which the first use starts.
  package static let shared = Result { try TestServer() }

  /// Whether there is a server to test with.
  package static var isAvailable: Bool {
    if case .success = shared { return true }
    return false
  }

  /// Starts a server of its own, for tests that stop it.
  package init() throws {
    let name = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let environment = ["PATH", "TMPDIR"].compactMap { name in
      ThisProcess.environmentVariable(name).map { "\(name)=\($0)" }
    }
    script = try ChildProcess(["/\(name)/Tools/postgresql-server"], environment: environment)
    directory = try Self.line(of: script)
    try PostgreSQLLedger("schema", on: connection(), schema: Self.schema).createSchemaBlocking()
  }

  deinit {
    // A zombie process would keep Swift Testing from seeing that its exit tests ended.
    script.closeInput()
    _ = script.wait()
  }

  private static func line(of script: ChildProcess) throws -> String {
    var output: [UInt8] = []
    while output.last != UInt8(ascii: "\n") {
      let bytes = script.read()
      guard !bytes.isEmpty else { throw MissingServer() }
      output += bytes
    }
    return String(decoding: output.dropLast(), as: UTF8.self)
  }

  /// The error for a missing server; the script said why.
  struct MissingServer: Error {}

  /// Kills the server's main process, and returns when the server is back.
  package func crash() throws {
    try script.write(Array("crash\n".utf8))
    _ = try Self.line(of: script)
  }

  package static let schema = "ledgers"
  private static let ledgerCount = Atomic<Int>(0)

  /// A connection string for the server.
  package func connection(as user: String = "ledger") -> String {
    "host=\(directory) dbname=postgres user=\(user)"
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
