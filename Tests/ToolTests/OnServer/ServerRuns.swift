#if os(Linux)
  import Foundation
  import LedgerPostgreSQLTestSupport
  import LedgerTestSupport
  import PromiseLedgerTesting

  /// A server with the usual schema, and runs of `promise-ledger-postgresql` that find it by their environment.
  struct ServerRuns: Sendable {
    static let program = CommandRun.program(named: "promise-ledger-postgresql")

    /// Those of this process, which the first use starts.
    static let shared = Result { try ServerRuns() }

    /// Whether there is a server to test with.
    static var isAvailable: Bool {
      if case .success = shared { return true }
      return false
    }

    let server: TestServer

    init() throws {
      server = try TestServer.onTCP()
      guard try run("create-schema").status == 0 else { throw MissingSchema() }
    }

    struct MissingSchema: Error {}

    /// The variables by which libpq finds the server.
    var variables: [String: String] {
      Dictionary(
        uniqueKeysWithValues: server.environment.map { line in
          let words = line.split(separator: "=", maxSplits: 1).map(String.init)
          return (words[0], words[1])
        })
    }

    /// Runs the command after commands of a shell, which may change the environment.
    func run(_ arguments: [String], after commands: String = "true") throws -> CommandRun {
      let exports = server.environment.map { "export '\($0)'" }.joined(separator: "; ")
      return try CommandRun(after: "\(exports); \(commands)", arguments, of: Self.program)
    }

    func run(_ arguments: String...) throws -> CommandRun { try run(arguments) }

    /// Imports the archive of a ledger in a directory.
    func copy(_ directory: String, to name: String) throws {
      let temporary = try TemporaryDirectory(in: Scratch.path)
      let archive = temporary.path + "/archive"
      _ = try CommandRun("export", directory, "--output", archive)
      let run = try run("import", name, archive)
      guard run.status == 0 else { throw Failed(run) }
    }

    struct Failed: Error {
      let notes: String

      init(_ run: CommandRun) { notes = run.notes }
    }
  }
#endif
