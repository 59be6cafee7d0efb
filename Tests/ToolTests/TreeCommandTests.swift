import PromiseLedger
import Testing

/// `tree`: exact output and exit code.
@Suite(.timeLimit(.minutes(10)))
struct TreeCommandTests {
  /// An order with a child, a signal, and work that awaits them.
  private static func sample() async throws -> WorkHistoryLedger {
    let ledger = try await WorkHistoryLedger()
    try ledger.create(1, label: "Order 7")
    try ledger.create(2, "charge", parent: 1, at: 1)
    try ledger.createPromise(3, parent: 1, label: "answer", at: 2)
    try ledger.create(4, "rude\u{1B}[2J\n", .after(WorkHistoryLedger.promise(2), .any), at: 3)
    try ledger.create(5, "mail", .after(WorkHistoryLedger.promise(1), .fulfilled), at: 4)
    try ledger.create(6, "mail", .after(WorkHistoryLedger.promise(4), .failed), at: 5)
    try ledger.add(WorkStarted(attempt: 1), on: 1, at: 6)
    try ledger.add(WorkStarted(attempt: 1), on: 2, at: 7)
    let error = StoredError(domain: "bank", code: 51, message: "no \u{1B}[31mmoney")
    try ledger.settle(2, byAttempt: 1, .rejected, error.encoded, at: 8)
    try ledger.settle(3, .cancelled, Array("late".utf8), at: 9)
    let condition = WorkCondition(
      time: WorkHistoryLedger.time(99), promises: [WorkHistoryLedger.promise(2)])
    try ledger.add(
      WorkReleased(attempt: 1, reason: .waiting, condition: condition), on: 1, at: 10)
    try ledger.add(PromiseAbandoned(reason: "no \"use\""), on: 6, at: 11)
    return ledger
  }

  private static func tree(
    _ ledger: WorkHistoryLedger, _ number: UInt64 = 1, _ options: String...
  ) throws -> CommandRun {
    try CommandRun(
      ["tree", ledger.path, WorkHistoryLedger.id(number).description] + options)
  }

  private static let whole = #"""
    00000a01  order  orphaned since 2100-01-01T00:00:10.000000Z, "Order 7", at 2100-01-01T00:01:39.000000Z, after promise 00000a02, 1 attempt
    ├─ 00000a02  child charge  rejected at 2100-01-01T00:00:08.000000Z, bank 51: no \u{1B}[31mmoney
    │  └─ 00000a04  continuation rude\u{1B}[2J\u{A}  orphaned since 2100-01-01T00:00:08.000000Z, after promise 00000a02
    │     └─ 00000a06  continuation mail  abandoned at 2100-01-01T00:00:11.000000Z, reason "no \"use\""
    ├─ 00000a03  child promise  cancelled at 2100-01-01T00:00:09.000000Z, "answer", reason "late"
    └─ 00000a05  continuation mail  waiting since 2100-01-01T00:00:04.000000Z, after promise 00000a01

    """#

  @Test func aPromiseIsDrawnWithEverythingBelow() async throws {
    let ledger = try await Self.sample()
    let run = try Self.tree(ledger)
    #expect(run.output == Self.whole)
    #expect(run.notes == "" && run.status == 0)
    try ledger.compact(keeping: 0)
    #expect(try Self.tree(ledger).output == Self.whole)
  }

  @Test func asciiHasNoOtherCharacters() async throws {
    let ledger = try await Self.sample()
    let run = try Self.tree(ledger, 1, "--ascii", "--limit", "4")
    #expect(
      run.output == #"""
        00000a01  order  orphaned since 2100-01-01T00:00:10.000000Z, "Order 7", at 2100-01-01T00:01:39.000000Z, after promise 00000a02, 1 attempt
        |- 00000a02  child charge  rejected at 2100-01-01T00:00:08.000000Z, bank 51: no \u{1B}[31mmoney
        |  `- ... 1 more
        |- 00000a03  child promise  cancelled at 2100-01-01T00:00:09.000000Z, "answer", reason "late"
        `- 00000a05  continuation mail  waiting since 2100-01-01T00:00:04.000000Z, after promise 00000a01

        """#)
    #expect(
      run.notes == "promise-ledger: Promises left out: 2. A higher --limit prints more.\n")
    #expect(run.status == 0)
  }

  @Test func wholeIDsCanBeGivenToOtherVerbs() async throws {
    let ledger = try await Self.sample()
    let run = try Self.tree(ledger, 3, "--whole-ids")
    #expect(
      run.output == #"""
        019b76da-a800-7000-8700-000000000a03  promise  cancelled at 2100-01-01T00:00:09.000000Z, "answer", reason "late"

        """#)
  }

  @Test func jsonHasEverything() async throws {
    let ledger = try await Self.sample()
    let run = try Self.tree(ledger, 1, "--format", "jsonl", "--limit", "3")
    #expect(
      run.output == #"""
        {"attempts":1,"awaitedPromises":["019b76da-a800-7000-8700-000000000a02"],"created":{"position":4,"session":"019b76da-a800-7000-8700-000000000aa1","time":"2100-01-01T00:00:00.000000Z"},"depth":0,"dueTime":"2100-01-01T00:01:39.000000Z","handlerKind":"order","id":"019b76da-a800-7000-8700-000000000a01","label":"Order 7","leftOut":1,"since":"2100-01-01T00:00:10.000000Z","state":"pending","typeTag":"int","workState":"orphaned"}
        {"above":"019b76da-a800-7000-8700-000000000a01","attempts":1,"created":{"position":5,"session":"019b76da-a800-7000-8700-000000000aa1","time":"2100-01-01T00:00:01.000000Z"},"depth":1,"error":{"code":51,"domain":"bank","message":"no \u001b[31mmoney"},"handlerKind":"charge","id":"019b76da-a800-7000-8700-000000000a02","leftOut":1,"outcome":"rejected","parent":"019b76da-a800-7000-8700-000000000a01","relation":"child","resolved":{"position":12,"session":"019b76da-a800-7000-8700-000000000aa1","time":"2100-01-01T00:00:08.000000Z"},"state":"resolved","typeTag":"int"}
        {"above":"019b76da-a800-7000-8700-000000000a01","created":{"position":6,"session":"019b76da-a800-7000-8700-000000000aa1","time":"2100-01-01T00:00:02.000000Z"},"depth":1,"id":"019b76da-a800-7000-8700-000000000a03","label":"answer","outcome":"cancelled","parent":"019b76da-a800-7000-8700-000000000a01","reason":"late","relation":"child","resolved":{"position":13,"session":"019b76da-a800-7000-8700-000000000aa1","time":"2100-01-01T00:00:09.000000Z"},"state":"resolved","typeTag":"int"}

        """#)
    let json = try Self.tree(ledger, 5, "--format", "json")
    #expect(
      json.output == #"""
        [
        {"attempts":0,"awaitedPromise":"019b76da-a800-7000-8700-000000000a01","created":{"position":8,"session":"019b76da-a800-7000-8700-000000000aa1","time":"2100-01-01T00:00:04.000000Z"},"depth":0,"handlerKind":"mail","id":"019b76da-a800-7000-8700-000000000a05","settlement":"fulfilled","since":"2100-01-01T00:00:04.000000Z","state":"pending","typeTag":"int","workState":"waiting"}
        ]

        """#)
    #expect(json.notes == "" && json.status == 0)
  }

  /// Deep levels do not make long lines.
  @Test func aChainIsDrawn() async throws {
    let ledger = try await WorkHistoryLedger()
    var events: [NewEvent] = []
    for number in 1...200 as ClosedRange<UInt64> {
      let trigger: WorkTrigger =
        number == 1 ? .now : .after(WorkHistoryLedger.promise(number - 1), .any)
      let creation = PromiseCreated(
        typeTag: "int", lifetime: .untilSettled, source: .work(.init(kind: "k", trigger: trigger)))
      events.append(
        NewEvent(
          kind: .promiseCreated, version: creation.version, time: WorkHistoryLedger.time(0),
          subject: WorkHistoryLedger.id(number), payload: creation.encoded))
    }
    try ledger.append(events)
    let run = try Self.tree(ledger)
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 200 && lines.allSatisfy { $0.count < 200 })
    #expect(lines[3].hasPrefix("      └─ 00000a04  continuation k  waiting since "))
    #expect(lines[199].hasPrefix("┄ " + String(repeating: "   ", count: 24) + "└─ 00000ac8"))
  }

  @Test func aJointIsNoPlainPromise() async throws {
    let ledger = try await WorkHistoryLedger()
    let inputs = PromiseCreated.Joint(.all, of: [WorkHistoryLedger.promise(2)])
    try ledger.createPromise(2)
    try ledger.add(
      PromiseCreated(typeTag: "[int]", lifetime: .untilSettled, source: .joint(inputs)), at: 1)
    let run = try Self.tree(ledger)
    #expect(
      run.output.hasPrefix("00000a01  joint  pending since 2100-01-01T00:00:01.000000Z"),
      "\(run.output)")
    #expect(run.notes == "" && run.status == 0)
  }

  @Test func repetitionsAreMarked() async throws {
    let ledger = try await WorkHistoryLedger()
    try ledger.createPromise(1)
    let both = WorkTrigger.firstOf(
      WorkCondition(promises: [WorkHistoryLedger.promise(1), WorkHistoryLedger.promise(2)]))
    try ledger.create(2, "first", .after(WorkHistoryLedger.promise(1), .any), at: 1)
    try ledger.create(3, "second", both, at: 2)
    let run = try Self.tree(ledger)
    #expect(
      run.output == #"""
        00000a01  promise  pending since 2100-01-01T00:00:00.000000Z
        ├─ 00000a02  continuation first  waiting since 2100-01-01T00:00:01.000000Z, after promise 00000a01
        │  └─ 00000a03  continuation second  shown elsewhere
        └─ 00000a03  continuation second  waiting since 2100-01-01T00:00:02.000000Z, after promise 00000a01, after promise 00000a02

        """#)
    #expect(run.notes == "" && run.status == 0)
  }

  @Test func onlyPromisesHaveATree() async throws {
    let sample = try await HandlerSampleLedger()
    let run = try CommandRun("tree", sample.path, "019b76da-a800-7000-8700-000000000002")
    #expect(
      run.notes
        == "promise-ledger: 019b76da-a800-7000-8700-000000000002 is a session. Name a promise.\n")
    #expect(run.output == "" && run.status == 2)
    #expect(try CommandRun("tree", sample.path, "ffff").status == 3)
  }

  @Test(arguments: [[], ["--limit", "0"], ["4b", "--key", "a"], ["--handler-key", "a"]])
  func invalidOptionsAreUsageErrors(options: [String]) throws {
    let run = try CommandRun(["tree", "/nowhere"] + options)
    #expect(run.status == 2 && run.output == "")
  }
}
