#if os(Linux)
  import Foundation
  import LedgerPostgreSQLTestSupport
  import Testing

  /// The help of the tool for ledgers on a server, and what the article says of it.
  @Suite(.timeLimit(.minutes(10)))
  struct ServerHelpTests {
    private func run(_ arguments: String...) throws -> CommandRun {
      try CommandRun(arguments, of: ServerRuns.program)
    }

    @Test func everyVerbTellsItsUse() throws {
      let help = try run("--help")
      #expect(help.status == 0)
      let verbs = help.output.matches(of: /\n  ([a-z][-a-z]+) (?:\(default\))? +[A-Z]/).map {
        String($0.1)
      }
      let own = ["ledgers", "create-schema", "create", "grant"]
      let shared = Set(VerbExample.all.map(\.verb)).subtracting(["backup", "salvage"])
      #expect(Set(verbs) == shared.union(own))
      for verb in verbs {
        let run = try run(verb, "--help")
        #expect(run.output.contains("\nUSAGE: promise-ledger-postgresql \(verb)"))
        let lines = run.output.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE") }, "\(verb)")
        let file = ["promise-ledger ", "directory of the ledger", "without-lock", "data file"]
        for words in file { #expect(!run.output.contains(words), "\(verb) speaks of \(words)") }
        #expect(run.notes == "" && run.status == 0)
      }
    }

    @Test func theManualAndTheCompletionAreThoseOfThisTool() throws {
      let manual = try run("manual").output
      #expect(manual.contains(".SS create\\-schema\n"))
      #expect(!manual.contains("\npromise\\-ledger \\-"))
      for shell in ["bash", "zsh", "fish"] {
        let script = try run("completion", shell).output
        #expect(script.contains("promise-ledger-postgresql") && script.contains("create-schema"))
      }
    }

    @Test(.enabled(if: ServerRuns.isAvailable, "PostgreSQL 14 or newer is missing"))
    func theCommandsOfTheArticleRun() throws {
      let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      let path = "Sources/PromiseLedgerPostgreSQL/PromiseLedgerPostgreSQL.docc/OnPostgreSQL.md"
      let article = try String(contentsOf: root.appending(path: path), encoding: .utf8)
      let commands = article.split(separator: "\n").filter {
        $0.hasPrefix("promise-ledger-postgresql ")
      }
      #expect(commands.count > 5, "Are they still written in this way?")
      let runs = try ServerRuns()
      for role in ["shop_owner SUPERUSER", "shop"] {
        try runs.server.run("CREATE ROLE \(role) LOGIN")
      }
      let script = commands.map { line in
        "'\(ServerRuns.program.path)' \(line.drop { $0 != " " })"
      }
      let run = try runs.run([script.joined(separator: "\n")], ofShellAs: "shop")
      #expect(run.status == 0, "\(run.notes)")
      #expect(run.output.contains("  orders\n"))
    }
  }

  extension ServerRuns {
    /// Runs a script, for which the server is found by its environment.
    fileprivate func run(_ script: [String], ofShellAs user: String) throws -> CommandRun {
      let exports = server.environment.map { "export '\($0)'" }.joined(separator: "; ")
      return try CommandRun(
        after: "\(exports); export PGUSER=\(user)", ["-euc"] + script,
        of: URL(fileURLWithPath: "/bin/sh"))
    }
  }
#endif
