import Foundation
import LedgerPostgreSQL
import LedgerPostgreSQLTestSupport
import LedgerSystem
import PromiseLedgerPostgreSQL
import PromiseLedgerTesting

/// A server that syncs each commit to its disk, and pgbench.
struct BenchmarkServer {
  let server: TestServer
  /// The path of pgbench.
  private let pgbench: String

  init() throws {
    server = try TestServer([
      "fsync=on", "full_page_writes=on", "autovacuum=on", "shared_buffers=128MB",
      "max_wal_size=2GB",
    ])
    let programs = try server.run("SELECT setting FROM pg_config() WHERE name = 'BINDIR'")
    pgbench = "\(programs.text(0, 0))/pgbench"
    try server.run("CREATE TABLE plain (id bigserial PRIMARY KEY, body text)")
    try server.run("CREATE TABLE queue (id bigserial PRIMARY KEY, state text)")
    try server.run("CREATE INDEX ON queue (id) WHERE state = 'new'")
  }

  func place() throws -> PostgreSQLLedger { try server.makePlace() }

  func open(
    _ place: PostgreSQLLedger, as role: SessionRole = .app,
    _ prepare: (inout LedgerConfiguration) throws -> Void = { _ in }
  ) async throws -> Ledger {
    var configuration = LedgerConfiguration()
    configuration.automaticCompaction = nil
    try prepare(&configuration)
    return try await Ledger.open(place, as: role, configuration: configuration)
  }

  /// A row of 200 bytes, as an event has.
  static let insertion = "INSERT INTO plain (body) VALUES (repeat('x', 200));\n"

  /// A job that is created, taken and finished, in three transactions. Other clients may hold every job that is new;
  /// then none is taken, and the number is 0.
  static let job = """
    INSERT INTO queue (state) VALUES ('new');
    WITH taken AS (UPDATE queue SET state = 'taken' WHERE id = (SELECT id FROM queue
      WHERE state = 'new' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING id)
      SELECT coalesce(max(id), 0) AS id FROM taken \\gset
    UPDATE queue SET state = 'done' WHERE id = :id;

    """

  /// What pgbench measured.
  struct Yardstick {
    let perSecond: Double
    /// In microseconds.
    let latencies: [Double]
  }

  /// Lets clients repeat a script of statements.
  func yardstick(_ script: String, clients: Int, seconds: Int) throws -> Yardstick {
    let directory = try TemporaryDirectory()
    let file = "\(directory.path)/script"
    try Data(script.utf8).write(to: URL(fileURLWithPath: file))
    // It ends by an alarm, which a process of Foundation's would not get: it would inherit the blocked signals of
    // this thread.
    let process = try ChildProcess(
      [
        pgbench, "--no-vacuum", "--client=\(clients)", "--jobs=2", "--time=\(seconds)",
        "--protocol=prepared", "--file=\(file)", "--log", "--log-prefix=\(directory.path)/log",
      ], environment: server.environment + ["LC_ALL=C"])
    var output: [UInt8] = []
    while case let bytes = process.read(), !bytes.isEmpty { output += bytes }
    let text = String(decoding: output, as: UTF8.self)
    guard process.wait() == .exited(0),
      let rate = text.firstMatch(of: /tps = ([0-9.]+)/).flatMap({ Double($0.1) })
    else { throw FailedYardstick(output: text) }
    return Yardstick(perSecond: rate, latencies: try Self.latencies(in: directory.path))
  }

  private static func latencies(in directory: String) throws -> [Double] {
    let logs = try FileManager.default.contentsOfDirectory(atPath: directory)
      .filter { $0.hasPrefix("log") }
    return try logs.flatMap { name in
      String(
        decoding: try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name)")), as: UTF8.self
      )
      .split(separator: "\n").compactMap { Double($0.split(separator: " ")[2]) }
    }
  }

  struct FailedYardstick: Error {
    let output: String
  }
}
