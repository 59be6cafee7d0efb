import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// `diff`: positions, ledgers and archives.
@Suite(.timeLimit(.minutes(10)))
struct DiffCommandTests {
  @Test func twoPositionsOfALedger() async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun("diff", sample.path, "3", "7")
    #expect(
      run.output == """
        change   what     name              id                                    details
        created  promise                    019b76da-addc-7000-8700-000000000003  fulfilled
        settled  promise  avatar/room@example.org  4b207824-d62b-857b-9c9d-9f472a7161c9  pending → consumed, consumed - → 2026-01-01T00:00:01.500000Z, error - → {"code":403,"domain":"chat","message":"\\u001b[31mno\\u000aentry\\u202e"}, resolved - → 2026-01-01T00:00:01.500000Z

        """)
    #expect(run.notes == "promise-ledger: Different: 1 created, 1 settled.\n")
    #expect(run.status == 1)
    let back = try CommandRun("diff", sample.path, "7", "3")
    #expect(back.output.contains("\nremoved  promise "))
    #expect(back.output.contains("\nchanged  promise  avatar/room@example.org  "))
    #expect(back.notes == "promise-ledger: Different: 1 changed, 1 removed.\n" && back.status == 1)
  }

  @Test func theSecondPositionMayBeLeftOut() async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun("diff", sample.path, "16", "--format", "jsonl")
    #expect(
      run.output.hasPrefix(#"{"after":{"host":"#)
        && run.output.contains(#""change":"settled","entity":"session","id":"#))
    #expect(run.notes == "promise-ledger: Different: 1 settled.\n" && run.status == 1)
    for words in [["17"], ["17", "17"], ["5", "5"]] {
      let same = try CommandRun(["diff", sample.path] + words)
      #expect(same.output == "" && same.notes == "" && same.status == 0)
    }
  }

  @Test func aLedgerAndItsArchiveAreTheSame() async throws {
    let sample = try await SampleLedger()
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let archive = directory.path + "/archive.jsonl"
    let exported = try CommandRun("export", sample.path)
    try exported.output.write(toFile: archive, atomically: true, encoding: .utf8)
    let copy = directory.path + "/copy"
    #expect(try CommandRun("import", copy, archive).status == 0)
    for sides in [
      [sample.path, archive], [archive, copy], [copy, sample.path], [copy, archive],
    ] {
      let run = try CommandRun(["diff"] + sides)
      #expect(run.output == "" && run.notes == "" && run.status == 0)
    }
    let positions = try CommandRun("diff", archive, "3", copy, "4", "-o", "ids")
    #expect(positions.output == "4b207824-d62b-857b-9c9d-9f472a7161c9\n" && positions.status == 1)
  }

  @Test func otherLedgersAreSaidToBeOthers() async throws {
    let sample = try await SampleLedger()
    let other = try TemporaryLedger()
    await (try other.open()).close()
    let run = try CommandRun("diff", sample.path, other.path, "--limit", "1")
    #expect(run.output.split(separator: "\n").count == 2)
    let ids = try [sample.path, other.path].map { try BlockingInspector(at: $0).id }
    // Five promises and a session of one, and a session of the other.
    #expect(
      run.notes == """
        promise-ledger: These are two ledgers: \(ids[0]) and \(ids[1]).
        promise-ledger: Different: 1 created, 6 removed.

        """)
    #expect(run.status == 1)
  }

  /// A ledger with one work that finished a step. Another one differs at most in the argument of the work and the
  /// result of the step. Both are stored beside their events if they are large.
  private func ledgerWithWork(order: String = "1", result: String = "1") throws -> TemporaryLedger {
    func id(_ number: UInt64) -> EntityID {
      EntityID(high: 0x019B_76DA_A800_7000, low: 0x8700_0000_0000_0C00 | number)
    }
    let time = Timestamp(nanosecondsSinceEpoch: 1_767_225_600_000_000_000)
    let opened = SessionOpened(
      role: .app, processID: 161, instance: "shop", host: "till", libraryVersion: "1")
    let arguments = try StoredArguments([
      StoredArgument(name: "order", typeTag: "string", payload: Array("\"\(order)\"".utf8))
    ])
    let created = PromiseCreated(
      typeTag: "int", lifetime: .untilSettled,
      source: .work(.init(kind: "ship", arguments: arguments)))
    let finished = WorkStepFinished(
      attempt: 1, step: StepIdentity("pack"), outcome: .value, startedAt: time, typeTag: "string",
      result: Array("\"\(result)\"".utf8))
    let payloads: [(any EventPayload, UInt64)] = [
      (LedgerCreated(formatVersion: 0), 1), (opened, 2), (created, 3),
      (WorkStarted(attempt: 1), 3), (finished, 3),
    ]
    var batch = EventBatch()
    for (payload, number) in payloads {
      var payload = payload
      var attachment: [UInt8] = []
      if var large = payload as? any AttachablePayload, let content = large.attachable,
        content.count > 1_000
      {
        attachment = content
        large.detachContent()
        payload = large
      }
      try batch.append(
        NewEvent(
          kind: type(of: payload).kind, version: payload.version, time: time, subject: id(number),
          cause: .start, payload: payload.encoded, attachment: attachment))
    }
    let events = batch
    let temporary = try TemporaryLedger()
    let store = try LMDBEventStore.openOrCreate(
      LedgerDirectory(temporary.path), options: StoreOptions(sizeLimit: 1 << 30),
      newLedgerID: LedgerID(entityID: id(1)), now: time)
    defer { store.close() }
    _ = try store.commit(
      CommitID(session: SessionID(entityID: id(2)), number: 1), after: .start,
      patience: Patience(.seconds(5)), catchUp: { _ in }, decide: { _, _ in events })
    return temporary
  }

  /// Expects that the first two ledgers are equal, and that the work of the third one differs.
  private func expectOneDifference(among ledgers: [TemporaryLedger]) throws {
    defer { withExtendedLifetime(ledgers) {} }
    let same = try CommandRun("diff", ledgers[0].path, ledgers[1].path)
    #expect(same.output == "" && same.notes == "" && same.status == 0)
    let run = try CommandRun("diff", ledgers[0].path, ledgers[2].path)
    #expect(
      run.output == """
        change   what     name              id                                    details
        changed  work                       019b76da-a800-7000-8700-000000000c03  differs in details that are not shown

        """)
    #expect(run.notes == "promise-ledger: Different: 1 changed.\n" && run.status == 1)
  }

  @Test(arguments: [1, 10_000])
  func argumentsOfWorkAreCompared(length: Int) throws {
    try expectOneDifference(
      among: ["a", "a", "b"].map {
        try ledgerWithWork(order: String(repeating: $0, count: length))
      })
  }

  @Test(arguments: [1, 10_000])
  func resultsOfStepsAreCompared(length: Int) throws {
    try expectOneDifference(
      among: ["a", "a", "b"].map {
        try ledgerWithWork(result: String(repeating: $0, count: length))
      })
  }

  @Test func damageIsFound() async throws {
    let sample = try await SampleLedger()
    try sample.damage("not needed")
    let run = try CommandRun("diff", sample.path, "3", "17")
    #expect(run.status == 5 && run.output == "")
    let whole = try await SampleLedger()
    let pipe = try CommandRun(intoClosedPipe: "diff", whole.path, "3", "7")
    #expect(pipe.notes == "" && pipe.status == 0)
  }

  @Test(arguments: [
    [], ["/nowhere"], ["/nowhere", "1", "2", "3"], ["/nowhere", "1", "/there", "2", "3"],
    ["/nowhere", "/there", "/more"], ["/nowhere", "1", "--limit=-1"],
  ])
  func invalidSidesAreUsageErrors(words: [String]) throws {
    let run = try CommandRun(["diff"] + words)
    #expect(run.status == 2 && run.output == "")
  }

  @Test func missingSidesAreNotFound() throws {
    let run = try CommandRun("diff", "/nowhere", "/neither\u{1B}[2J")
    #expect(run.status == 3 && run.output == "" && !run.notes.contains("\u{1B}"))
  }
}
