#if os(Linux)
  import Foundation
  import LedgerPostgreSQLTestSupport
  import Testing

  /// What the tool for ledgers on a server does there.
  @Suite(
    .enabled(if: ServerRuns.isAvailable, "PostgreSQL 14 or newer is missing"),
    .timeLimit(.minutes(10)))
  struct ServerVerbTests {
    private let runs: ServerRuns
    private let name = "ledger \(UUID().uuidString)"

    init() throws { runs = try ServerRuns.shared.get() }

    /// A ledger with something of every kind.
    private func fill() throws {
      let original = try TranscriptLedger()
      try runs.copy(original.directory + "/ledger", to: name)
    }

    @Test func aChangeIsMadeAndRecordsItsReason() throws {
      try fill()
      let change = ["resolve", name, "order/7", "--value", "7", "--reason", "by hand"]
      let plan = try runs.run(change)
      #expect(plan.output.contains("would"))
      #expect(plan.notes.contains("Nothing was changed."))
      let done = try runs.run(change + ["--apply", "--format", "json"])
      #expect(done.status == 0 && done.output.contains("\"state\":\"resolved\""))
      let log = try runs.run("log", name, "--tail", "4", "--format", "jsonl").output
      #expect(log.contains("by hand") && log.contains("promiseResolved"))
      #expect(try runs.run("verify", name).status == 0)
      let late = try runs.run(change + ["--apply"])
      #expect(late.status != 0 && late.notes.contains("promise-ledger-postgresql: "))
    }

    @Test(arguments: [
      ["retry", "--state", "parked"], ["park", "00000b04"],
      ["reject", "order/7", "--reason", "no"], ["cancel", "00000b04"],
      ["abandon", "00000b02", "--reason", "late"],
      ["force", "order/7", "--value", "7", "--reason", "now"], ["invalidate", "00000b09"],
    ])
    func everyChangeIsMade(words: [String]) throws {
      try fill()
      let head = try head()
      let run = try runs.run([words[0], name] + words.dropFirst() + ["--apply"])
      #expect(run.status == 0, "\(run.notes)")
      #expect(try self.head() > head)
      #expect(try runs.run("verify", name).status == 0)
    }

    private func head() throws -> Int {
      let output = try runs.run("digest", name).output
      return try #require(output.firstMatch(of: /position +(\d+)/).flatMap { Int($0.1) })
    }

    @Test func aCompactionFoldsAndDeletes() throws {
      try fill()
      let before = try runs.run("digest", name, "--format", "json").output
      let position = try head()
      let all = ["--keep-events-for", "0", "--keep-events", "0", "--keep-records-for", "0s"]
      #expect(try runs.run(["compact", name] + all).notes.contains("To compact, add --apply."))
      let run = try runs.run(["compact", name, "--apply", "--progress"] + all)
      #expect(run.status == 0, "\(run.notes)")
      #expect(run.notes.contains("Folded "))
      let deleted = try #require(run.output.firstMatch(of: /events deleted +(\d+)/)?.1)
      #expect(Int(deleted) ?? 0 > 0)
      #expect(try runs.run("verify", name).status == 0)
      let digest = try #require(before.firstMatch(of: /"logDigest":"(\w+)"/)?.1)
      let earlier = ["digest", name, "--through", "\(position)", "--expect", "\(digest)"]
      #expect(try runs.run(earlier).status == 3)
    }

    @Test func ledgersAreListed() throws {
      let created = try runs.run("create", name)
      #expect(created.status == 0, "\(created.notes)")
      let id = try #require(created.output.firstMatch(of: /ledger +([-0-9a-f]{36})/)?.1)
      // One that exists stays.
      #expect(try runs.run("create", name).output == created.output)
      let list = try runs.run("ledgers").output
      #expect(list.contains("\(id)  \(name)\n"))
      let lines = try runs.run("ledgers", "--format", "jsonl").output.split(separator: "\n")
      let line = try #require(lines.first { $0.contains(name) })
      #expect(
        line
          == #"{"head":0,"ledger":"\#(id)","name":"\#(name)","snapshotPosition":0,"state":"open"}"#)
    }

    @Test func aSchemaIsCreatedAndARoleLetIn() throws {
      let (schema, role) = ("s\(UUID().uuidString)", "r\(UUID().uuidString)")
      try runs.server.run("CREATE ROLE \"\(role)\" LOGIN")
      let options = ["--schema", schema]
      for _ in 1...2 { #expect(try runs.run(["create-schema"] + options).status == 0) }
      #expect(try runs.run(["create", name] + options).status == 0)
      let asRole = ["stats", name, "--connection", "user=\(role)"] + options
      let refused = try runs.run(asRole)
      #expect(refused.status == 74)
      #expect(refused.notes.contains("promise-ledger-postgresql grant"))
      #expect(try runs.run(["grant", "reading", role] + options).status == 0)
      #expect(try runs.run(asRole).status == 0)
    }

    @Test func commandsToPasteNameTheServer() throws {
      let schema = "other \(UUID().uuidString)"
      #expect(try runs.run("create-schema", "--schema", schema).status == 0)
      let original = try TranscriptLedger()
      let archive = original.directory + "/archive"
      _ = try CommandRun("export", original.directory + "/ledger", "--output", archive)
      let options = ["--connection", "user=ledger", "--schema", schema]
      #expect(try runs.run(["import", "orders", archive] + options).status == 0)
      let run = try runs.run(["overview", "orders"] + options)
      let command = try #require(run.output.firstMatch(of: /promise-ledger-postgresql (.*)/)?.1)
      #expect(command.hasSuffix(" --connection user=ledger --schema '\(schema)'"))
      let followed = try runs.run(
        ["-c", "\(ServerRuns.program.path) \(command)"], of: "/bin/sh")
      #expect(followed.status != 2, "\(followed.notes)")
    }

    @Test func newEventsAreFollowedUntilTheLedgerIsRemoved() throws {
      try fill()
      let follower = try FollowingRun(
        ["log", name, "--follow", "--format", "jsonl"], of: ServerRuns.program, runs.variables)
      try follower.waitForOutput("\n")
      #expect(try runs.run("park", name, "00000b04", "--apply").status == 0)
      try follower.waitForOutput("workAmended")
      try runs.server.run("DELETE FROM promise_ledger.ledger WHERE name = '\(name)'")
      #expect(try follower.end() == 3)
      #expect(follower.notes.contains("was removed"))
    }

    @Test func aServerThatEndsEndsItsFollower() throws {
      let own = try ServerRuns()
      let original = try TranscriptLedger()
      try own.copy(original.directory + "/ledger", to: name)
      let follower = try FollowingRun(
        ["log", name, "--follow", "--format", "jsonl"], of: ServerRuns.program, own.variables)
      try follower.waitForOutput("\n")
      // It does not come back for this role.
      try own.server.run("ALTER ROLE ledger NOLOGIN")
      try own.server.crash()
      #expect([4, 74].contains(try follower.end()))
      #expect(follower.notes.contains("promise-ledger-postgresql: "))
    }

    @Test func aServerThatDoesNotAnswerIsBusy() async throws {
      let own = try ServerRuns()
      #expect(try own.run("create", name).status == 0)
      async let holder: Void = onThread {
        _ = try? own.server.run(
          "DO $$ BEGIN LOCK TABLE promise_ledger.ledger; PERFORM pg_sleep(600); END $$")
      }
      let name = name
      var run: CommandRun
      // Until the table is locked, the command succeeds. A wait here would take the thread that the task above needs.
      repeat {
        run = try await onThread { Result { try own.run("log", name, "--timeout", "2") } }.get()
      } while run.status == 0 && !Task.isCancelled
      #expect(run.status == 4)
      #expect(run.notes.contains("The server may be slow"))
      try own.server.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'DO %'")
      await holder
    }

    @Test func anInterruptedCommandEndsByTheSignal() throws {
      try fill()
      let follower = try FollowingRun(
        ["log", name, "--follow"], of: ServerRuns.program, runs.variables)
      try follower.waitForOutput("\n")
      follower.signal(SIGINT)
      #expect(try follower.end() == -SIGINT)
    }

    #if Serve
      @Test func thePageIsServedAndActs() async throws {
        try fill()
        let (runs, name) = (runs, name)
        let shown = try runs.run("show", name, "order/7", "--format", "json").output
        let id = try #require(shown.firstMatch(of: /"id":"([-0-9a-f]{36})"/).map { String($0.1) })
        try await onThread {
          Result {
            let served = try ServedLedger(
              FollowingRun(
                ["serve", name, "--allow-actions"], of: ServerRuns.program, runs.variables))
            let page = try served.answer("GET", "/")
            #expect(page.contains("\"tool\":\"promise-ledger-postgresql\""))
            #expect(page.contains(name))
            var order: [String: Any] = [
              "verb": "resolve", "id": id, "value": "7", "reason": "called", "apply": false,
            ]
            #expect(try served.order(order)["result"] == "would")
            order["apply"] = true
            #expect(try served.order(order)["result"] == "done")
            #expect(try served.order(order)["result"] == "refused")
            #expect(try served.end() == 0)
          }
        }.get()
        let log = try runs.run("log", name, "--tail", "4", "--format", "jsonl").output
        #expect(log.contains("called") && log.contains("promiseResolved"))
      }
    #endif
  }

  extension ServerRuns {
    /// Runs another program, such as a shell.
    fileprivate func run(_ arguments: [String], of program: String) throws -> CommandRun {
      let exports = server.environment.map { "export '\($0)'" }.joined(separator: "; ")
      return try CommandRun(after: exports, arguments, of: URL(fileURLWithPath: program))
    }
  }
#endif
