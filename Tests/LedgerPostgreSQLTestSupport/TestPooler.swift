/// A pooler before a test server. It ends with the process, however that ends.
package final class TestPooler {
  private let script: ServerScript
  /// A connection string for the pooler.
  package let connection: String

  /// Whether there is a pooler to test with.
  package static let isAvailable =
    (try? ServerScript("postgresql-pooler", ["check"]).line()) == "present"

  /// Starts a pooler.
  ///
  /// - Parameter mode: What it lends a connection of the server for: `session` or `transaction`.
  package init(before server: TestServer, mode: String) throws {
    script = try ServerScript("postgresql-pooler", [mode] + server.address)
    connection = "host=\(try script.line()) port=6432 dbname=postgres user=ledger"
  }
}
