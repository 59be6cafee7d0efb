import PromiseLedger
import PromiseLedgerTesting
import Testing

/// `state`, and the lists with `--at`: the past of a ledger.
@Suite(.timeLimit(.minutes(10)))
struct StateCommandTests {
  private static let zero = "2026-01-01T00:00:00.000000Z"
  private static let later = "2026-01-01T00:00:01.500000Z"

  @Test func theStateAtAPositionIsAsItWas() async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun("state", sample.path, "--at", "7")
    #expect(
      run.output == #"""
        ledger        019b76da-a800-7000-8700-000000000001
        position      7 of 17
        newest event  \#(Self.later)

        what     name              id                                    state        since                        details
        promise                    019b76da-addc-7000-8700-000000000003  fulfilled    \#(Self.later)  type bytes
        session  chat              019b76da-a800-7000-8700-000000000002  alive        \#(Self.zero)  app, process \#(sample.processID), opened \#(Self.zero), host "\#(sample.host)"

        """#)
    #expect(run.notes == "" && run.status == 0)
    let all = try CommandRun("state", sample.path, "--at", "7", "--all", "-o", "ids")
    #expect(
      all.output == """
        4b207824-d62b-857b-9c9d-9f472a7161c9
        019b76da-addc-7000-8700-000000000003
        019b76da-a800-7000-8700-000000000002

        """)
    #expect(all.status == 0)
  }

  @Test func beforeTheFirstEventThereIsNothing() async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun("state", sample.path, "--at", "0")
    #expect(
      run.output == """
        ledger    019b76da-a800-7000-8700-000000000001
        position  0 of 17

        what     name              id                                    state        since                        details

        """)
    #expect(run.notes == "" && run.status == 0)
  }

  @Test func theNewestStateNeedsNoPosition() async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun("state", sample.path, "--format", "jsonl")
    let lines = run.output.split(separator: "\n")
    #expect(
      lines.first
        == #"{"entity":"ledger","ledger":"019b76da-a800-7000-8700-000000000001","position":17,"time":"\#(Self.later)"}"#
    )
    #expect(
      lines.count == 4 && lines.dropFirst().allSatisfy { $0.contains(#""entity":"promise""#) })
    #expect(run.notes == "" && run.status == 0)
    let none = try CommandRun("state", sample.path, "--limit", "0", "--format", "json")
    #expect(none.output.hasPrefix("[\n{\"entity\":\"ledger\"") && none.output.hasSuffix("}\n]\n"))
    #expect(try CommandRun("state", sample.path, "--older", "forever", "-o", "ids").output == "")
  }

  /// Each list, at each position, is that of the ledger when it ended there.
  @Test func theListsShowThePast() async throws {
    let sample = try await SampleLedger()
    let states = ["--state", "pending", "--state", "resolved", "--state", "consumed"]
    let pending = try CommandRun(["promises", sample.path, "--at", "3", "-o", "ids"] + states)
    #expect(pending.output == "4b207824-d62b-857b-9c9d-9f472a7161c9\n")
    let words = try CommandRun(["promises", sample.path, "--at", "3"] + states)
    #expect(
      words.output.contains("  pending               \(Self.zero)  \"Remove the \\\"avatar\\\"\""))
    let settled = try CommandRun(["promises", sample.path, "--at", "4"] + states)
    #expect(settled.output.contains("  resolved   rejected   \(Self.zero)  \"Remove "))
    // The session froze at 15 and unfroze at 16. Nothing tells which processes were there in the past.
    for position in ["14", "15", "16"] {
      let sessions = try CommandRun("sessions", sample.path, "--at", position)
      #expect(sessions.output.contains("  alive   app "), "\(position): \(sessions.output)")
    }
    #expect(try CommandRun("sessions", sample.path, "-o", "ids").output == "")
    for verb in ["handlers", "work"] {
      let run = try CommandRun(verb, sample.path, "--at", "7", "-o", "ids")
      #expect(run.output == "" && run.notes == "" && run.status == 0)
    }
  }

  @Test func aStateThatIsGoneSaysFromWhereItCanBeHad() async throws {
    let sample = try await CompactedSampleLedger()
    for verb in ["state", "promises", "handlers", "work", "sessions"] {
      let run = try CommandRun(verb, sample.path, "--at", "2")
      #expect(run.output == "" && run.status == 3)
      #expect(
        run.notes.hasPrefix("promise-ledger: eventsDeleted: The state at position 2 cannot be"))
      #expect(run.notes.contains(/Ask for position \d+ or later, or import the archives/))
      let position = try #require(run.notes.firstMatch(of: /Ask for position (\d+)/)).1
      let first = try CommandRun(verb, sample.path, "--at", String(position))
      #expect(first.status == 0 && first.notes == "")
    }
  }

  @Test func aPositionInTheFutureIsAUsageError() async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun("state", sample.path, "--at", "18")
    #expect(
      run.notes
        == "promise-ledger: invalidArgument: There is no event at position 18: the last one has position 17.\n"
    )
    #expect(run.output == "" && run.status == 2)
    #expect(try CommandRun("state", sample.path, "--at", "x").status == 2)
    let pipe = try CommandRun(intoClosedPipe: "state", sample.path)
    #expect(pipe.notes == "" && pipe.status == 0)
  }

  @Test(arguments: [
    ["promises", "--tag", "room", "--state", "consumed"],
    ["promises", "--older", "1h", "--state", "consumed"],
  ])
  func theListsAreFiltered(words: [String]) async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun([words[0], sample.path, "-o", "ids"] + words.dropFirst())
    #expect(run.output == "4b207824-d62b-857b-9c9d-9f472a7161c9\n" && run.status == 0)
    let none = try CommandRun(
      [words[0], sample.path, "-o", "ids", "--tag", "none", "--older", "36500d"]
        + words.dropFirst())
    #expect(none.output == "" && none.status == 0)
  }

  /// Work whose outcome waits for the app is no pending work, and is in the lists all the same.
  @Test func outcomesOfWorkThatAreNotConsumedAreListed() async throws {
    let sample = try await OnCallLedger(.closed) { writer in
      let work = PromiseCreated.Work(kind: "mail", trigger: .now)
      try await writer.submit(
        CreatePromise(
          id: OnCallLedger.promise(1),
          creation: PromiseCreated(
            typeTag: "int", lifetime: .untilConsumed, source: .work(work)), isStrict: true))
      let value = StoredValue(typeTag: "int", bytes: Array("1".utf8))
      _ = try await writer.ledger.forceOutcome(.fulfilled(value), of: OnCallLedger.promise(1))
    }
    let id = "\(OnCallLedger.promise(1))"
    #expect(try CommandRun("promises", sample.path, "-o", "ids").output == "\(id)\n")
    #expect(try CommandRun("promises", sample.path, "--joints", "-o", "ids").output == "")
    #expect(try CommandRun("state", sample.path, "-o", "ids").output == "\(id)\n")
    #expect(try CommandRun("work", sample.path, "-o", "ids").output == "")
    let overview = try CommandRun(sample.path)
    #expect(overview.output.contains("\n1  promises settled, not consumed ("))
    await sample.close()
  }

  // MARK: Joints

  @Test func jointsAreListed() async throws {
    let sample = try await OnCallLedger(.closed) { writer in
      try await writer.promise(1)
      try await writer.promise(2)
      try await writer.joint(3, .any, of: [1, 2])
      try await writer.joint(4, .allSettled, of: [1])
      _ = try await writer.ledger.resolve(
        OnCallLedger.promise(2), with: .cancelled(reason: "left"))
    }
    let run = try CommandRun("promises", sample.path, "--joints")
    #expect(
      run.output == """
        name              id                                    state      outcome    created                      details
                          \(OnCallLedger.promise(3))  pending               \(Self.zero)  joint any of 2 inputs, 1 pending, type [int]
                          \(OnCallLedger.promise(4))  pending               \(Self.zero)  joint allSettled of 1 input, 1 pending, type [int]

        """)
    #expect(run.notes == "" && run.status == 0)
    let all = try CommandRun("promises", sample.path, "-o", "ids").output.split(separator: "\n")
    #expect(
      all.map(String.init) == ([1, 2, 3, 4] as [UInt64]).map { "\(OnCallLedger.promise($0))" })
    let json = try CommandRun("promises", sample.path, "--joints", "--format", "jsonl")
    #expect(json.output.contains(#""pendingInputs":1,"#) && json.output.contains(#""rule":"any""#))
    let state = try CommandRun("state", sample.path)
    #expect(
      state.output.contains("\njoint                      \(OnCallLedger.promise(3))  pending "))
    let overview = try CommandRun(sample.path)
    #expect(overview.output.contains("\n2  joints wait for other promises ("))
    #expect(overview.output.contains("\n   promise-ledger promises \(sample.path) --joints\n"))
    #expect(
      try CommandRun("promises", sample.path, "--joints", "--state", "consumed", "-o", "ids").output
        == "")
    await sample.close()
  }
}
