import PromiseLedger
import PromiseLedgerTesting
import Testing

/// What a person may give as the name of a promise, handler or session, to every verb and option.
@Suite(.timeLimit(.minutes(10)))
struct NameTests {
  private static let avatar = "4b207824-d62b-857b-9c9d-9f472a7161c9"

  @Test(arguments: [
    avatar, avatar.uppercased(), avatar.replacing("-", with: ""), "4b20", "4b207824-d62b-8", "61c9",
    "2a7161c9", "9f472a7161c9", "9c9d-9f472a7161c9", "9d9f472a7161C9", "avatar/room@example.org",
  ])
  func aPromiseHasManyNames(name: String) async throws {
    let sample = try await CompactedSampleLedger()
    for verb in ["show", "explain", "tree"] {
      let run = try CommandRun(verb, sample.path, name, "--format", "jsonl")
      #expect(run.output.contains(#""id":"\#(Self.avatar)""#), "\(verb)")
      #expect(run.status == 0, "\(verb): \(run.notes)")
    }
  }

  /// Each id that a table prints is taken by the verbs, and names the same entity.
  @Test func printedIDsCanBePastedBack() async throws {
    let sample = try await CompactedSampleLedger()
    let log = try CommandRun("log", sample.path)
    let subjects = log.output.split(separator: "\n").dropFirst().compactMap {
      $0.firstMatch(of: /^ *\d+  \S+  (\w+) +(\w{8})  (\w{8})/)
    }
    #expect(subjects.count == 8)
    for line in subjects {
      let run = try CommandRun(
        "log", sample.path, "--subject", String(line.2), "--session", String(line.3))
      #expect(run.output.contains("  \(line.1) "), "\(line.0)")
      #expect(run.status == 0, "\(run.notes)")
    }
    let handlers = try CommandRun("handlers", sample.path)
    for id in handlers.output.matches(of: /\b[0-9a-f]{8}-[0-9a-f-]{27}\b|call ([0-9a-f]{8})/) {
      let name = String(id.1 ?? id.0)
      let run = try CommandRun("show", sample.path, name, "--format", "jsonl")
      #expect(run.output.contains(#""handlerKind":"#) && run.status == 0, "\(name): \(run.notes)")
    }
  }

  @Test func aHandlerHasItsKeyAndTheIDsOfItsCallsAsNames() async throws {
    let sample = try await CompactedSampleLedger()
    let whole = try CommandRun("show", sample.path, "--handler-key", "iq-1")
    for name in ["iq-1", "b0c3605f", "8ecd4fe9", "00000a11"] {
      #expect(try CommandRun("show", sample.path, name).output == whole.output, "\(name)")
    }
    #expect(try CommandRun("show", sample.path, "00000a12").status == 3, "it has ended")
  }

  @Test func aNameWithSeveralMeaningsListsThem() async throws {
    let temporary = try TemporaryLedger()
    let app = try await temporary.open()
    let promise = try await app.createPromise(key: PromiseKey("both"), of: Int.self, label: "one")
    let handler = try HandlerKey("both").handlerID
    _ = try await app.engine.submit(
      CreateHandler(id: handler, HandlerDescription(kind: "k", key: "both"), arguments: .none))
    for verb in ["show", "explain"] {
      let run = try CommandRun(verb, temporary.path, "both")
      #expect(
        run.notes
          == "promise-ledger: Several have the name both: promise \(promise.id) (both), handler \(handler) (both). Give more of the id, or a whole key with --key or --handler-key.\n"
      )
      #expect(run.output == "" && run.status == 3)
    }
    // A verb about promises, and an option, mean one kind.
    #expect(try CommandRun("tree", temporary.path, "both").status == 0)
    #expect(try CommandRun("log", temporary.path, "--handler", "both").status == 0)
    let ambiguous = try CommandRun("log", temporary.path, "--subject", "both")
    #expect(ambiguous.output == "" && ambiguous.status == 3)
    await app.close()
  }

  @Test func aKeyMayLookLikeAnID() async throws {
    let temporary = try TemporaryLedger()
    let app = try await temporary.open()
    let promise = try await app.createPromise(key: PromiseKey("cafe"), of: Int.self)
    let run = try CommandRun("show", temporary.path, "cafe", "--format", "jsonl")
    #expect(run.output.contains(#""id":"\#(promise.id)""#) && run.status == 0)
    await app.close()
  }

  @Test(arguments: [
    (["--session", "ffff"], "session"), (["--promise", "ffff"], "promise"),
    (["--handler", "avatar/room@example.org"], "handler"),
    // Ids of promises, and of the ledger.
    (["--session", "019b76da-addc"], "session"),
    (["--session", "00000001"], "session"),
    (["--subject", "nothing"], "promise, session or handler"),
  ])
  func aNameThatNothingHasIsNotAnEmptyList(options: [String], kinds: String) async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun(["log", sample.path] + options)
    #expect(run.notes.hasPrefix("promise-ledger: There is no \(kinds) named \(options[1]): "))
    #expect(run.output == "" && run.status == 3)
  }

  @Test func aNameThatNothingHasComesWithSimilarOnes() async throws {
    let sample = try await WorkSampleLedger()
    let run = try CommandRun("explain", sample.path, "publ")
    let id = WorkSampleLedger.id(2)
    #expect(
      run.notes
        == "promise-ledger: There is no promise, session or handler named publ: none has it as its key, or as the beginning or the end of its id. A part of an id has at least 4 hexadecimal digits. Similar: promise \(id) (\"Publish 7\").\n"
    )
    #expect(run.output == "" && run.status == 3)
    await sample.close()
  }

  /// Open joints and unconsumed outcomes of work are in lists of their own.
  @Test func similarNamesOfJointsAndOutcomesAreFound() async throws {
    let ledger = try await WorkHistoryLedger()
    try ledger.createPromise(1)
    let inputs = PromiseCreated.Joint(.all, of: [WorkHistoryLedger.promise(1)])
    try ledger.add(
      PromiseCreated(
        typeTag: "[int]", label: "Totals", lifetime: .untilSettled, source: .joint(inputs)),
      on: 2, at: 1)
    try ledger.add(
      PromiseCreated(typeTag: "int", label: "Total price", source: .work(.init(kind: "order"))),
      on: 3, at: 2)
    try ledger.add(WorkStarted(attempt: 1), on: 3, at: 3)
    try ledger.settle(3, byAttempt: 1, at: 4)
    let run = try CommandRun("explain", ledger.path, "total")
    for (number, label) in [(2, "Totals"), (3, "Total price")] as [(UInt64, String)] {
      #expect(
        run.notes.contains("promise \(WorkHistoryLedger.id(number)) (\"\(label)\")"),
        "\(run.notes)")
    }
    #expect(run.output == "" && run.status == 3)
  }

  @Test func hostileNamesAreQuoted() async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun("show", sample.path, "a\u{1B}[31m\u{202E}")
    #expect(run.notes.contains(#" named "a\u{1B}[31m\u{202E}": "#) && run.status == 3)
    let long = try CommandRun("show", sample.path, String(repeating: "x", count: 100_000))
    #expect(long.status == 3 && long.notes.utf8.count < 2_000)
  }

  /// Compaction removed the record, and its events are still there.
  @Test func eventsOfARemovedRecordAreFound() async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun(
      "compact", sample.path, "--apply", "--keep-records-for", "0", "--keep-events", "1000")
    #expect(run.status == 0, "\(run.notes)")
    #expect(try CommandRun("show", sample.path, Self.avatar).status == 3)
    for name in [Self.avatar, "2a7161c9"] {
      let log = try CommandRun("log", sample.path, "--promise", name)
      #expect(log.output.split(separator: "\n").count == 4 && log.status == 0, "\(log.notes)")
    }
    #expect(
      try CommandRun("log", sample.path, "--key", "avatar/room@example.org").output
        .split(separator: "\n").count == 4)
  }
}
