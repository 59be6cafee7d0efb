import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// Every verb but `log` on the sample: exact output and exit code.
@Suite(.timeLimit(.minutes(10)))
struct VerbTests {
  private static let avatar = "4b207824-d62b-857b-9c9d-9f472a7161c9"

  @Test func showTellsTheLifeOfAPromise() async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun("show", sample.path, "4b20")
    #expect(
      run.output == #"""
        promise   4b207824-d62b-857b-9c9d-9f472a7161c9
        state     consumed
        type      void
        key       avatar/room@example.org
        label     Remove the "avatar"
        tags      "room" "avatar"
        created   2026-01-01T00:00:00.000000Z at position 3 by session 019b76da-a800-7000-8700-000000000002
        instance  chat
        outcome   rejected
        error     chat 403: \u{1B}[31mno\u{A}entry\u{202E}
        resolved  2026-01-01T00:00:01.500000Z at position 4 by session 019b76da-a800-7000-8700-000000000002
        consumed  2026-01-01T00:00:01.500000Z at position 5 by session 019b76da-a800-7000-8700-000000000002
        session   019b76da-a800-7000-8700-000000000002 is ended (app "chat")

        relation  position  time                         kind                 subject   session   details
        own              3  2026-01-01T00:00:00.000000Z  promiseCreated       2a7161c9  00000002  "Remove the \"avatar\"", key "avatar/room@example.org", type void, tags "room" "avatar"
        own              4  2026-01-01T00:00:01.500000Z  promiseResolved      2a7161c9  00000002  rejected, chat 403 "\u{1B}[31mno\u{A}entry\u{202E}"
        own              5  2026-01-01T00:00:01.500000Z  promiseConsumed      2a7161c9  00000002  recorded after delivery

        """#)
    #expect(run.notes == "")
    #expect(run.status == 0)
    let byKey = try CommandRun("show", sample.path, "--key", "avatar/room@example.org")
    #expect(byKey.output == run.output)
  }

  @Test func showMarksCausesAndEffects() async throws {
    let sample = try await SampleLedger()
    try await sample.append(.promiseAbandoned, payload: [0, 0], cause: 5)
    let run = try CommandRun("show", sample.path, Self.avatar.uppercased(), "--format", "jsonl")
    let relations = run.output.split(separator: "\n").dropFirst().map { line in
      line.contains("\"relation\":\"own\"")
        ? "own" : line.contains("\"relation\":\"effect\"") ? "effect" : "?"
    }
    #expect(relations == ["own", "own", "own", "effect"])
    #expect(run.output.hasPrefix(#"{"consumed":{"position":5,"session":"#))
    #expect(run.status == 0)
  }

  @Test func showNeedsOneName() async throws {
    let sample = try await SampleLedger()
    let many = try CommandRun("show", sample.path, "019b")
    #expect(many.status == 3)
    #expect(
      many.notes.hasPrefix("promise-ledger: Several have the name 019b: promise 019b76da-"))
    let none = try CommandRun("show", sample.path, "ffff")
    #expect(none.status == 3)
    #expect(
      none.notes.hasPrefix(
        "promise-ledger: There is no promise, session or handler named ffff: none has it as its key, or as the beginning or the end of its id."
      ))
    #expect(try CommandRun("show", sample.path, "--key", "nothing").status == 3)
    #expect(try CommandRun("show", sample.path).status == 2)
    #expect(try CommandRun("show", sample.path, "xyz").status == 3)
    #expect(try CommandRun("show", sample.path, "").status == 2)
    for extra in [
      ["4b", "--key", "a"], ["--key", "a", "--handler-key", "a"], ["--handler-key", ""],
    ] {
      #expect(try CommandRun(["show", sample.path] + extra).status == 2)
    }
  }

  @Test func promisesAreListedByState() async throws {
    let sample = try await SampleLedger()
    let open = try CommandRun("promises", sample.path)
    #expect(
      open.output == #"""
        name              id                                    state      outcome    created                      details
                          019b76da-addc-7000-8700-000000000003  resolved   fulfilled  2026-01-01T00:00:01.500000Z  stale, type bytes
                          019b76da-addc-7000-8700-000000000004  resolved   fulfilled  2026-01-01T00:00:01.500000Z  stale, type string
                          019b76da-addc-7000-8700-000000000005  resolved   fulfilled  2026-01-01T00:00:01.500000Z  stale, type [string:string]

        """#)
    #expect(open.status == 0 && open.notes == "")
    #expect(try CommandRun("promises", sample.path, "--stale").output == open.output)
    let tagged = try CommandRun(
      "promises", sample.path, "--state", "consumed", "--state", "abandoned", "--tag", "room",
      "--format", "json")
    #expect(
      tagged.output == #"""
        [
        {"consumed":{"position":5,"session":"019b76da-a800-7000-8700-000000000002","time":"2026-01-01T00:00:01.500000Z"},"created":{"position":3,"session":"019b76da-a800-7000-8700-000000000002","time":"2026-01-01T00:00:00.000000Z"},"creatorInstance":"chat","error":{"code":403,"domain":"chat","message":"\u001b[31mno\u000aentry\u202e"},"id":"4b207824-d62b-857b-9c9d-9f472a7161c9","isOverdue":false,"isStale":false,"key":"avatar/room@example.org","label":"Remove the \"avatar\"","outcome":"rejected","resolved":{"position":4,"session":"019b76da-a800-7000-8700-000000000002","time":"2026-01-01T00:00:01.500000Z"},"state":"consumed","tags":["room","avatar"],"typeTag":"void"}
        ]

        """#)
    let first = try CommandRun("promises", sample.path, "--limit", "1", "--format", "jsonl")
    #expect(first.output.split(separator: "\n").count == 1)
    #expect(first.output.contains("\"id\":\"019b76da-addc-7000-8700-000000000003\""))
  }

  @Test func statsCount() async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun("stats", sample.path)
    let lines = run.output.split(separator: "\n").map(String.init)
    // The name of the host makes frames longer or shorter.
    let beginning = lines.prefix { !$0.hasPrefix("file bytes") }
      .filter { !$0.hasPrefix("frame bytes") }
    #expect(
      beginning.joined(separator: "\n") == """
        ledger              019b76da-a800-7000-8700-000000000001
        format version      1
        created             2026-01-01T00:00:00.000000Z
        head                17
        snapshot            0
        deleted through     0
        first event         2026-01-01T00:00:00.000000Z
        last event          2026-01-01T00:00:01.500000Z
        newest time         2026-01-01T00:00:01.500000Z
        commits             16
        frames              16
        large values        1
        large value bytes   5002
        events              17
          ledgerCreated     1
          sessionOpened     1
          sessionFrozen     1
          sessionUnfrozen   1
          sessionClosed     1
          promiseCreated    5
          promiseResolved   5
          promiseConsumed   1
          promiseAbandoned  1
        promises pending    0
        promises resolved   3
        promises consumed   1
        promises abandoned  1
        handlers open       0
        handlers closed     0
        sessions            1
        sessions not ended  0
        """)
    #expect(lines.contains { $0.hasPrefix("table blob          2 records, ") })
    #expect(run.status == 0 && run.notes == "")
    let json = try CommandRun("stats", sample.path, "--format", "json")
    #expect(
      json.output.hasPrefix(#"{"abandonedPromises":1,"closedHandlers":0,"commits":16,"#))
    #expect(json.output.contains(#""eventsByKind":{"ledgerCreated":1,"promiseAbandoned":1,"#))
  }

  @Test func verifyIsContentWithAHealthyLedger() async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun("verify", sample.path)
    #expect(run.output == "")
    #expect(
      run.notes
        == "promise-ledger: Nothing found. Checked: 17 events in 16 frames, 1 large values.\n")
    #expect(run.status == 0)
    #expect(try CommandRun("verify", sample.path, "--format", "json").output == "[]\n")
  }

  @Test(arguments: ["table", "json", "jsonl"])
  func verifyPrintsNoListOfNoLedger(format: String) throws {
    let missing = try CommandRun("verify", "/nothing", "--format", format)
    #expect(missing.output == "")
    #expect(missing.notes.hasPrefix("promise-ledger: notALedger: "))
    #expect(!missing.notes.contains("incomplete"))
    #expect(missing.status == 3)
    let empty = try CommandRun("verify", "", "--format", format)
    #expect(empty.output == "")
    #expect(empty.status == 2)
  }

  @Test func verifyListsTheDamageThatKeepsALedgerFromBeingOpened() async throws {
    let sample = try await SampleLedger()
    try Data("generation-999999\n".utf8).write(
      to: URL(fileURLWithPath: sample.path + "/CURRENT"))
    let run = try CommandRun("verify", sample.path, "--format", "jsonl")
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.contains("\"severity\":\"corrupt\"") == true)
    #expect(lines.last == "{\"incomplete\":true}")
    #expect(
      run.notes == "promise-ledger: The ledger cannot be opened. The output is incomplete.\n")
    #expect(run.status == 5)
  }

  @Test func digestIsComparedAndPrinted() async throws {
    let sample = try await SampleLedger()
    let inspector = try BlockingInspector(at: sample.path)
    let digest = try inspector.logDigest()
    let state = try inspector.replay().digest()
    let run = try CommandRun("digest", sample.path, "--format", "json")
    #expect(
      run.output == """
        {"ledger":"019b76da-a800-7000-8700-000000000001","logDigest":"\(digest)","position":17,"stateDigest":"\(state)"}

        """)
    #expect(run.status == 0)
    let zeros = String(repeating: "0", count: 64)
    for verb in ["digest", "verify"] {
      #expect(try CommandRun(verb, sample.path, "--expect", "\(digest)").status == 0)
      #expect(try CommandRun(verb, sample.path, "--expect", zeros).status == 1)
      #expect(try CommandRun(verb, sample.path, "--expect", "00").status == 2)
    }
    #expect(try CommandRun("digest", sample.path, "--through", "18").status == 2)
  }

  @Test func digestOfEarlierIsComparedAfterMoreEvents() async throws {
    let sample = try await SampleLedger()
    let digest = "\(try BlockingInspector(at: sample.path).logDigest())"
    #expect(try CommandRun("compact", sample.path, "--apply", "--fold-only").status == 0)
    for verb in ["digest", "verify"] {
      let expecting = [verb, sample.path, "--expect", digest, "--through"]
      #expect(try CommandRun(expecting.dropLast()).status == 1, "newer events are in it")
      #expect(try CommandRun(expecting + ["17"]).status == 0, "\(verb)")
      #expect(try CommandRun(expecting + ["16"]).status == 1, "\(verb)")
      #expect(try CommandRun(expecting + ["99"]).status == 2, "\(verb)")
    }
    #expect(try CommandRun("verify", sample.path, "--through", "17").status == 2)
    let all = ["--keep-events-for", "0", "--keep-events", "0"]
    #expect(try CommandRun(["compact", sample.path, "--apply"] + all).status == 0)
    let gone = try CommandRun("verify", sample.path, "--expect", digest, "--through", "17")
    #expect(gone.notes.hasPrefix("promise-ledger: eventsDeleted: "))
    #expect(gone.output == "")
    #expect(gone.status == 3)
  }

  @Test func exportGoesThroughImportAndBack() async throws {
    let sample = try await SampleLedger()
    let copy = try TemporaryLedger()
    let archive = copy.path + ".jsonl"
    let export = try CommandRun("export", sample.path)
    #expect(export.status == 0 && export.notes == "")
    try export.output.write(toFile: archive, atomically: true, encoding: .utf8)
    let digest = try BlockingInspector(at: sample.path).logDigest()
    let imported = try CommandRun("import", copy.path, archive)
    #expect(
      imported.output == """
        ledger         019b76da-a800-7000-8700-000000000001
        records        0
        events         17
        archive bytes  \(export.output.utf8.count)
        log digest     \(digest)

        """)
    #expect(imported.status == 0)
    #expect(try CommandRun("export", copy.path).output == export.output)
    #expect(try CommandRun("log", copy.path).output == (try CommandRun("log", sample.path).output))
    let again = try CommandRun("import", copy.path, archive)
    #expect(again.status == 2)
    #expect(again.notes.hasPrefix("promise-ledger: alreadyExists: Something exists at "))
    #expect(try CommandRun("import", copy.path + "2", archive + "x").status == 3)
    try String(export.output.dropLast(40)).write(
      toFile: archive, atomically: true, encoding: .utf8)
    let short = try CommandRun("import", copy.path + "2", archive)
    #expect(short.status == 5)
    #expect(
      short.notes
        == "promise-ledger: corrupt: Line 19 of the archive is damaged: the archive ends inside it. Nothing was imported.\n"
    )
  }
}
