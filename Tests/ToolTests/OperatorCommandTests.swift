import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// The verbs that change promises: exact output, exit code, and effect.
@Suite(.timeLimit(.minutes(10)))
struct OperatorCommandTests {
  private func name(_ number: Int) -> String { "019b76da-a800-7000-8700-000000000a0\(number)" }

  private func state(_ number: Int, in sample: WorkSampleLedger) async throws -> WorkRecord.State? {
    try await sample.record(UInt64(number))?.work?.state
  }

  // MARK: Changes

  @Test func retryMakesParkedWorkDue() async throws {
    let sample = try await WorkSampleLedger()
    let run = try CommandRun("retry", sample.path, name(6), "--yes")
    #expect(
      run.output == #"""
        done        retry
        promise     \#(name(6))
        state       pending
        type        int
        kind        mail
        priority    3
        attempts    1
        last error  mail 550: no \u{1B}[31mmailbox
        created     2026-01-01T00:00:00.000000Z at position 8 by session 019b76da-a800-7000-8700-000000000002
        instance    shop

        """#)
    #expect(run.notes == "" && run.status == 0)
    #expect(try await state(6, in: sample) == .waiting(.now))
    await sample.close()
  }

  @Test func parkKeepsWorkFromBeingRun() async throws {
    let sample = try await WorkSampleLedger()
    let run = try CommandRun("park", sample.path, name(7), "--yes", "--format", "json")
    #expect(run.output.hasPrefix(#"{"attempts":0,"created":{"position":9,"#))
    #expect(run.output.contains(#""done":"park","handlerKind":"a\u001b[2J\u000ab","#))
    #expect(run.output.contains(#""workState":"parked""#))
    #expect(run.notes == "" && run.status == 0)
    #expect(try await state(7, in: sample) == .parked)
    // The operator is a session of its own.
    let log = try CommandRun("log", sample.path, "--kind", "sessionOpened", "--format", "jsonl")
    #expect(log.output.split(separator: "\n").last?.contains(#""role":"operator""#) == true)
    let running = try CommandRun("park", sample.path, name(4), "--yes")
    #expect(
      running.notes
        == "promise-ledger: Session 019b76da-a800-7000-8700-000000000002 runs the work. Wait for the end of its code, and try again.\n"
    )
    #expect(running.output == "" && running.status == 4)
    await sample.close()
  }

  #if os(Linux)
    /// The first rows are written when the first change is made.
    @Test(arguments: [(output: ">/dev/full", status: 74), ("| true", 0)])
    func changesAreMadeThoughNobodyReadsTheOutput(output: String, status: Int32) async throws {
      let temporary = try TemporaryLedger()
      let ledger = try await temporary.open()
      for _ in 0..<40 { _ = try await ledger.createPromise(of: Int.self) }
      await ledger.close()
      let run = try CommandRun(
        shell: "abandon '\(temporary.path)' --orphaned --reason test --apply \(output)")
      #expect(run.status == status)
      let log = try CommandRun(
        "log", temporary.path, "--kind", "promiseAbandoned", "--format", "jsonl")
      #expect(log.output.split(separator: "\n").count == 40)
    }
  #endif

  @Test func aPromiseOfALaterVersionIsAFinding() async throws {
    let sample = try await SampleLedger()
    try await sample.append(.promiseCreated, payload: [0xCA, 0xFE], version: 99)
    let run = try CommandRun(
      "abandon", sample.path, "019b76da-a800-7000-8900-000000000001", "--reason", "x", "--yes")
    #expect(run.output == "")
    #expect(run.notes.contains("an event at position 19 that this build does not know"))
    #expect(run.status == 1)
  }

  @Test func abandonGivesUpAPromise() async throws {
    let sample = try await WorkSampleLedger()
    let run = try CommandRun(
      "abandon", sample.path, name(1), "--reason", "no \u{202E} need", "--yes")
    #expect(
      run.output.hasPrefix("done       abandon\npromise    \(name(1))\nstate      abandoned\n"))
    #expect(run.output.hasSuffix("\nreason     no \\u{202E} need\n"))
    #expect(run.notes == "" && run.status == 0)
    #expect(try await sample.record(1)?.status == .abandoned)
    #expect(try await sample.record(2)?.outcomeKind == .cancelled, "it waited for a value")
    let again = try CommandRun("abandon", sample.path, name(1), "--reason", "x", "--yes")
    #expect(again.status == 0)
    await sample.close()
  }

  @Test(arguments: [
    (["--value", "-2"], PromiseOutcome.fulfilled(StoredValue(typeTag: "int", bytes: [45, 50]))),
    (
      ["--reject", "no way"],
      .rejected(StoredError(domain: "promise-ledger", message: "no way"))
    ),
    (["--cancel", "enough"], .cancelled(reason: "enough")),
  ])
  func forceSettlesWorkThatRuns(
    options: [String], outcome: PromiseOutcome<StoredValue>
  ) async throws {
    let sample = try await WorkSampleLedger()
    let run = try CommandRun(["force", sample.path, name(4), "--yes"] + options)
    #expect(run.output.hasPrefix("done      force\npromise   \(name(4))\nstate     resolved\n"))
    #expect(run.notes == "" && run.status == 0)
    #expect(try await sample.record(4)?.outcome == outcome)
    // The code of the attempt comes too late.
    let answer = try await sample.submit(
      FinishWork(
        id: WorkSampleLedger.id(4), attempt: 1, result: .returned(typeTag: "int", bytes: [49])))
    guard case .superseded = answer else {
      Issue.record("\(answer)")
      return
    }
    let again = try CommandRun(["force", sample.path, name(4), "--yes"] + options)
    #expect(
      again.notes
        == "promise-ledger: Promise \(name(4)) is \(outcome.kind), so nothing was changed.\n")
    #expect(again.output == "" && again.status == 2)
    await sample.close()
  }

  /// A program could never read such a value, and a settled promise cannot be settled again.
  @Test(arguments: [
    ("int", "\"42\"", false), ("int", "4.5", false), ("int", "null", false), ("int", "-3", true),
    ("uint8", "256", false), ("uint8", "255", true), ("bool", "1", false), ("bool", "true", true),
    ("string", "x", false), ("string", "[\"x\"]", false), ("string", "\"x\"", true),
    ("double", "0.5", true), ("double", "{}", false), ("int?", "null", true), ("int?", "7", true),
    ("int?", "\"7\"", false), ("[int]", "[1]", true), ("Order", "{\"id\":7}", true),
  ])
  func aValueOfAnotherTypeIsRefused(typeTag: String, value: String, fits: Bool) async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open()
    let id = WorkSampleLedger.id(1)
    _ = try await ledger.engine.submit(
      CreatePromise(id: id, creation: PromiseCreated(typeTag: typeTag), isStrict: true))
    for options in [[], ["--apply"]] {
      let run = try CommandRun(
        ["resolve", temporary.path, "\(id)", "--value", value] + options)
      #expect(run.status == (fits ? 0 : 2), "\(run.notes)")
      if !fits, value != "x" {
        #expect(
          run.notes
            == "promise-ledger: The promise has the type \(typeTag), and the value is not of that type.\n"
        )
      }
    }
    #expect(try await ledger.record(of: id)?.outcomeKind == (fits ? .fulfilled : nil))
    await ledger.close()
  }

  @Test func forceSettlesPromisesWithoutValueOrCode() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open()
    let void = try await ledger.createPromise(key: PromiseKey("void"), of: Void.self)
    let bytes = try await ledger.createPromise(of: [UInt8].self)
    func force(_ id: PromiseID, _ value: String) throws -> CommandRun {
      try CommandRun("force", temporary.path, "\(id)", "--value", value, "--yes")
    }
    #expect(
      try force(void.id, "1").notes
        == "promise-ledger: The promise has no value. Give --value null.\n")
    let byKey = try CommandRun(
      "force", temporary.path, "--key", "void", "--value", "null", "--yes")
    #expect(byKey.output.hasPrefix("done      force\npromise   \(void.id)\n"))
    #expect(byKey.status == 0)
    try await void.consume()
    let refused = try force(bytes.id, "\"x\"")
    #expect(refused.status == 2)
    #expect(refused.notes.contains("which is not JSON"))
    await ledger.close()
  }

  // MARK: Refusals

  @Test func promisesWithoutWorkAreRefused() async throws {
    let sample = try await WorkSampleLedger()
    for verb in ["retry", "park"] {
      let run = try CommandRun(verb, sample.path, name(1), "--yes")
      #expect(run.notes.hasPrefix("promise-ledger: invalidArgument: Promise \(name(1)) "))
      #expect(run.output == "" && run.status == 2)
    }
    await sample.close()
  }

  @Test func onlyPromisesAreChanged() async throws {
    let handlers = try await HandlerSampleLedger()
    let run = try CommandRun("park", handlers.path, name(1), "--yes")
    #expect(
      run.notes == "promise-ledger: \(name(1)) is no promise. Give the id of a promise.\n")
    #expect(run.status == 2)
    let retry = try CommandRun("retry", handlers.path, name(1), "--apply")
    #expect(retry.notes.contains(" has no unfinished call. ") && retry.status == 2)
    #expect(try CommandRun("park", handlers.path, "ffff", "--yes").status == 3)
    let missing = try CommandRun("park", "/nothing", "ffff", "--yes")
    #expect(missing.notes.hasPrefix("promise-ledger: notALedger: "))
    #expect(missing.status == 3)
  }

  @Test(arguments: [
    ["retry"], ["retry", "4b", "--key", "a"], ["retry", "4b", "--without-lock"], ["abandon", "4b"],
    ["force", "4b"], ["force", "4b", "--value", "1", "--cancel", "x"],
    ["force", "4b", "--value", "{"],
  ])
  func invalidOptionsAreUsageErrors(words: [String]) throws {
    let run = try CommandRun([words[0], "/nowhere"] + words.dropFirst() + ["--yes"])
    #expect(run.status == 2 && run.output == "")
  }

  // MARK: Without --apply

  @Test func withoutApplyingNothingIsChanged() async throws {
    let sample = try await WorkSampleLedger()
    let before = try BlockingInspector(at: sample.path).head
    for (verb, number, options) in [
      ("retry", 6, []), ("park", 7, []), ("abandon", 1, ["--reason", "x"]),
      ("force", 4, ["--value", "1"]), ("force", 4, ["--reject", "x"]),
      ("force", 4, ["--cancel", "x"]), ("resolve", 1, ["--value", "\"1\""]),
      ("reject", 1, ["--reason", "x"]), ("cancel", 1, []), ("cancel", 4, []),
    ] as [(String, Int, [String])] {
      let run = try CommandRun([verb, sample.path, name(number)] + options)
      #expect(run.output.hasPrefix("would "), "\(verb)")
      #expect(run.output.contains(" \(verb)\npromise "), "\(verb)")
      #expect(
        run.notes == "promise-ledger: Nothing was changed. To \(verb), add --apply.\n", "\(verb)")
      #expect(run.status == 0, "\(verb)")
    }
    #expect(try BlockingInspector(at: sample.path).head == before)
    await sample.close()
  }

  @Test func aJointIsGivenNoValue() async throws {
    let sample = try await OnCallLedger(.closed) { writer in
      try await writer.promise(1)
      try await writer.joint(2, .all, of: [1])
    }
    let joint = OnCallLedger.promise(2)
    for options in [[], ["--apply"]] {
      let run = try CommandRun(["force", sample.path, "\(joint)", "--value", "[1]"] + options)
      #expect(
        run.notes
          == "promise-ledger: Promise \(joint) is a joint, whose value is that of its inputs. Reject or cancel it, or settle the inputs.\n"
      )
      #expect(run.output == "" && run.status == 2)
      for verb in [["resolve", "--value", "[1]"], ["reject", "--reason", "no"]] {
        let refused = try CommandRun(
          [verb[0], sample.path, "\(joint)"] + verb.dropFirst() + options)
        #expect(
          refused.notes
            == "promise-ledger: Promise \(joint) is a joint, which its inputs settle. Settle these, or reject or cancel it with force.\n"
        )
        #expect(refused.output == "" && refused.status == 2)
      }
    }
    let cancelled = try CommandRun(
      "force", sample.path, "\(joint)", "--cancel", "enough", "--apply")
    #expect(cancelled.notes == "" && cancelled.status == 0)
    await sample.close()
  }

  @Test func aPreviewTellsWhatWouldBeRefused() async throws {
    let sample = try await WorkSampleLedger()
    for (arguments, note, status) in [
      (
        ["park", name(4)],
        "Session 019b76da-a800-7000-8700-000000000002 runs the work. Wait for the end of its code, and try again.",
        4
      ),
      (
        ["retry", name(1)],
        "Promise \(name(1)) is not settled by code, so there is no work to change.", 2
      ),
      (
        ["resolve", name(4), "--value", "1"],
        "Promise \(name(4)) is settled by code. To settle it all the same, use force.", 2
      ),
    ] as [([String], String, Int32)] {
      for options in [[], ["--apply"]] {
        guard arguments[0] != "retry" || options.isEmpty else { continue }
        let run = try CommandRun(
          [arguments[0], sample.path] + arguments.dropFirst() + options)
        #expect(run.notes == "promise-ledger: \(note)\n")
        #expect(run.output == "" && run.status == status)
      }
    }
    await sample.close()
  }
}
