#if os(Linux)
  import Foundation
  import LedgerPostgreSQLTestSupport
  import Testing

  /// Connections and names that are refused: each error has its exit code and its remedy, and none has a password.
  @Suite(
    .enabled(if: ServerRuns.isAvailable, "PostgreSQL 14 or newer is missing"),
    .timeLimit(.minutes(10)))
  struct ServerErrorTests {
    private static let password = "hunter2"

    struct Refused: Sendable, CustomTestStringConvertible {
      let arguments: [String]
      /// Commands of a shell that come before.
      var commands = "true"
      let status: Int32
      /// A part of the note.
      let remedy: String

      var testDescription: String { arguments.joined(separator: " ") }

      init(
        _ arguments: String..., after commands: String = "true", status: Int32, remedy: String
      ) {
        (self.arguments, self.commands) = (arguments, commands)
        (self.status, self.remedy) = (status, remedy)
      }
    }

    private static let names = [
      Refused("log", "nothing", status: 3, remedy: "promise-ledger-postgresql ledgers lists"),
      Refused(
        "resolve", "nothing", "x", "--value", "1", "--apply", status: 3,
        remedy: "no ledger \"nothing\""),
      Refused("compact", "nothing", "--apply", status: 3, remedy: "no ledger \"nothing\""),
      Refused("nothing", status: 3, remedy: "no ledger \"nothing\""),
      Refused("log", "", status: 2, remedy: "a name of 1 to 200 bytes"),
      Refused(
        "log", "a", "--schema", "nowhere", status: 3,
        remedy: "promise-ledger-postgresql create-schema"),
      Refused(
        "ledgers", "--schema", "nowhere", status: 3,
        remedy: "promise-ledger-postgresql create-schema"),
      Refused("ledgers", "--schema", "pg_temp", status: 2, remedy: "does not begin with"),
      Refused("lgo", "a", "b", status: 2, remedy: "Usage: promise-ledger-postgresql"),
    ]

    private static let connections = [
      Refused("log", "a", "--connection", "dbname=nowhere", status: 3, remedy: "Create it"),
      Refused("log", "a", after: "export PGDATABASE=nowhere", status: 3, remedy: "Create it"),
      Refused(
        "log", "a", "--connection", "user=nobody_here", status: 74,
        remedy: "create the role with LOGIN"),
      Refused("log", "a", "--connection", "host=/nowhere", status: 4, remedy: "cannot be reached"),
      Refused(
        "create", "a", "--connection", "host=/nowhere", status: 4, remedy: "cannot be reached"),
      Refused(
        "create-schema", "--connection", "host=/nowhere", status: 4, remedy: "cannot be reached"),
      Refused("log", "a", after: "export PGHOST=127.0.0.1", status: 4, remedy: "turn on ssl"),
      Refused(
        "log", "a", "--connection", "\(password) is no connection", status: 2,
        remedy: "cannot be read"),
    ]

    private static let passwords = [
      Refused("log", "a", "--connection", "password=\(password)", status: 2, remedy: "PGPASSWORD"),
      Refused(
        "diff", "a", "b", "--connection", "password=\(password)", status: 2, remedy: "PGPASSWORD"),
      Refused(
        "import", "a", "b", "--connection", "password=\(password)", status: 2, remedy: "PGPASSWORD"),
      Refused("ledgers", "--connection", "password=\(password)", status: 2, remedy: "PGPASSWORD"),
      Refused(
        "log", "a", "--connection", "sslpassword=\(password)", status: 2, remedy: "PGPASSWORD"),
      Refused(
        "log", "a", "--connection", "postgresql://me:\(password)@host/db", status: 2,
        remedy: "PGPASSWORD"),
      Refused(
        "resolve", "a", "x", "--value", "1", "--standby", "--apply", status: 2,
        remedy: "leave out --standby"),
    ]

    @Test(arguments: names + connections + passwords)
    func aRefusalHasItsExitCodeAndItsRemedy(refused: Refused) throws {
      let run = try ServerRuns.shared.get().run(refused.arguments, after: refused.commands)
      #expect(run.status == refused.status, "\(run.notes)")
      #expect(run.notes.contains(refused.remedy), "\(run.notes)")
      #expect(run.output == "")
      #expect(!run.notes.contains(Self.password))
    }

    @Test func aPasswordOfTheEnvironmentIsUsedAndNotShown() throws {
      let runs = try ServerRuns.shared.get()
      try runs.server.run(
        "CREATE ROLE reader LOGIN PASSWORD '\(Self.password)' IN ROLE with_password")
      #expect(try runs.run("grant", "reading", "reader").status == 0)
      #expect(try runs.run("create", "read").status == 0)
      let words = ["stats", "read", "--connection", "user=reader"]
      let export = "export PGPASSFILE=/nowhere PGPASSWORD="
      #expect(try runs.run(words, after: export + Self.password).status == 0)
      let wrong = try runs.run(words, after: export + Self.password + "x")
      #expect(wrong.status == 74 && wrong.notes.contains("refused the password"))
      #expect(!wrong.notes.contains(Self.password))
      let none = try runs.run(words, after: export)
      #expect(none.status == 74 && none.notes.contains("set PGPASSWORD"))
    }

    /// The service file names server and role.
    @Test func aServiceFindsTheServer() throws {
      let runs = try ServerRuns.shared.get()
      let file = NSTemporaryDirectory() + "service-\(UUID().uuidString)"
      defer { try? FileManager.default.removeItem(atPath: file) }
      let variables = runs.variables
      let settings = [
        ("host", "PGHOST"), ("port", "PGPORT"), ("dbname", "PGDATABASE"), ("user", "PGUSER"),
      ]
      .map { "\($0)=\(variables[$1] ?? "")\n" }
      try "[shop]\n\(settings.joined())".write(toFile: file, atomically: true, encoding: .utf8)
      let run = try runs.run(
        ["ledgers", "--connection", "service=shop"],
        after: "unset PGHOST PGPORT PGDATABASE PGUSER; export PGSERVICEFILE='\(file)'")
      #expect(run.status == 0, "\(run.notes)")
    }
  }
#endif
