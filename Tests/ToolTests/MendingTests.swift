import PromiseLedger
import PromiseLedgerTesting
import Testing

/// The verbs by which an operator mends a ledger in which nothing goes on.
@Suite(.timeLimit(.minutes(10)))
struct MendingTests {
  private let time = "2026-01-01T00:00:00.000000Z"

  @Test func resolveFulfilsAPromise() async throws {
    let sample = try await StuckLedger()
    let run = try CommandRun(
      "resolve", sample.path, "order-7", "--value", "42", "--reason", "by phone", "--apply")
    #expect(
      run.output.hasPrefix("done      resolve\npromise   \(sample.order)\nstate     resolved\n"))
    #expect(run.notes == "" && run.status == 0)
    let outcome = PromiseOutcome.fulfilled(StoredValue(typeTag: "int", bytes: Array("42".utf8)))
    #expect(try sample.record(sample.order)?.outcome == outcome)
    // The log tells who did it, and why.
    let log = try CommandRun(
      "log", sample.path, "--kind", "sessionOpened", "--format", "jsonl")
    #expect(log.output.split(separator: "\n").last?.contains(#""instance":"by phone""#) == true)
    #expect(log.output.split(separator: "\n").last?.contains(#""role":"operator""#) == true)
    let again = try CommandRun("resolve", sample.path, "order-7", "--value", "43", "--apply")
    #expect(
      again.notes
        == "promise-ledger: Promise \(sample.order) is fulfilled, so nothing was changed.\n")
    #expect(again.output == "" && again.status == 2)
    await sample.close()
  }

  @Test func rejectAndCancelSettleAPromise() async throws {
    for (verb, outcome) in [
      ("reject", .rejected(StoredError(domain: "promise-ledger", message: "no \u{202E}way"))),
      ("cancel", .cancelled(reason: "no \u{202E}way")),
    ] as [(String, PromiseOutcome<StoredValue>)] {
      let sample = try await StuckLedger()
      let run = try CommandRun(
        verb, sample.path, "order-7", "--reason", "no \u{202E}way", "--apply")
      #expect(run.output.contains("no \\u{202E}way") && !run.output.contains("\u{202E}"))
      #expect(run.notes == "" && run.status == 0)
      #expect(try sample.record(sample.order)?.outcome == outcome)
      await sample.close()
    }
  }

  @Test func cancelEndsWorkOrAsksItToEnd() async throws {
    let sample = try await WorkSampleLedger()
    func cancel(_ number: UInt64) throws -> CommandRun {
      try CommandRun(
        "cancel", sample.path, "\(WorkSampleLedger.id(number))", "--reason", "x", "--apply")
    }
    let running = try cancel(4)
    #expect(running.output.hasPrefix("done             ask to end\n"))
    #expect(try await sample.record(4)?.work?.cancelReason == "x")
    let parked = try cancel(6)
    #expect(parked.output.hasPrefix("done "))
    #expect(try await sample.record(6)?.outcomeKind == .cancelled)
    #expect(running.status == 0 && parked.status == 0)
    await sample.close()
  }

  @Test func invalidateWithdrawsAHandler() async throws {
    let sample = try await StuckLedger()
    let preview = try CommandRun("invalidate", sample.path, "iq-1")
    #expect(preview.output.hasPrefix("would       invalidate\nhandler "))
    #expect(
      preview.notes == "promise-ledger: Nothing was changed. To invalidate, add --apply.\n")
    let run = try CommandRun("invalidate", sample.path, "iq-1", "--reason", "left", "--apply")
    #expect(run.output.contains("\nstate        invalidated\n"))
    #expect(run.output.contains("\nreason       left\n"))
    #expect(run.notes == "" && run.status == 0)
    let again = try CommandRun("invalidate", sample.path, "iq-1", "--apply")
    #expect(again.notes.hasSuffix(" is invalidated, so nothing was changed.\n"))
    #expect(again.status == 2)
    let promise = try CommandRun("invalidate", sample.path, "order-7", "--apply")
    #expect(promise.notes.hasSuffix(" is no handler. Give the id of a handler.\n"))
    #expect(promise.status == 2)
    await sample.close()
  }

  /// The operator's session notices that the process is gone.
  @Test func retryGivesBackWhatADeadProcessRan() async throws {
    let sample = try await StuckLedger()
    let work = try CommandRun("retry", sample.path, "\(StuckLedger.id(1))", "--apply")
    #expect(work.output.hasPrefix("done "))
    #expect(work.status == 0, "\(work.notes)")
    #expect(try sample.record(StuckLedger.id(1))?.work?.state == .waiting(.now))
    let handlers = try CommandRun("handlers", sample.path, "--state", "active")
    #expect(handlers.output.contains("attempt 1, given back by session 00000002: died\n"))
    let call = try CommandRun("retry", sample.path, "iq-1", "--apply")
    #expect(call.output.contains("\ngiven back  died\n") && call.status == 0)
    #expect(
      try CommandRun("sessions", sample.path).output.contains(" dead ") == false)
    await sample.close()
  }

  // MARK: Many

  @Test func manyAreChangedInOneSession() async throws {
    let sample = try await WorkSampleLedger()
    let options = ["--kind", "mail", "--state", "due", "--state", "parked"]
    let preview = try CommandRun(["park", sample.path] + options)
    #expect(
      preview.output == """
        result    name              id                                    details
        would                       \(WorkSampleLedger.id(6))  park
        would                       \(WorkSampleLedger.id(8))  park

        """)
    #expect(
      preview.notes == "promise-ledger: Nothing was changed. To park 2, add --apply.\n")
    #expect(preview.status == 0)
    let run = try CommandRun(["park", sample.path, "--apply", "--reason", "storm"] + options)
    #expect(run.output == preview.output.replacing("would ", with: "done  "))
    #expect(run.notes == "" && run.status == 0)
    #expect(try await sample.record(8)?.work?.state == .parked)
    let opened = try CommandRun("log", sample.path, "--kind", "sessionOpened")
    #expect(opened.output.matches(of: /operator, process \d+, instance "storm"/).count == 1)
    await sample.close()
  }

  @Test func refusalsSpoilNothing() async throws {
    let sample = try await WorkSampleLedger()
    for options in [[], ["--apply"]] {
      let run = try CommandRun(
        ["park", sample.path, "--kind", "mail", "--state", "running", "--state", "due"] + options)
      #expect(
        run.output.contains(
          "\nrefused                     \(WorkSampleLedger.id(4))  Session 019b76da-a800-7000-8700-000000000002 runs the work. "
        ))
      #expect(run.output.contains("  \(WorkSampleLedger.id(8))  park\n"))
      #expect(run.notes.hasSuffix("promise-ledger: Refused: 1 of 2.\n"))
      #expect(run.status == 1)
    }
    #expect(try await sample.record(8)?.work?.state == .parked)
    await sample.close()
  }

  @Test(arguments: [
    (["abandon", "--orphaned", "--reason", "x"], ["order-8"]),
    (["resolve", "--tag", "t", "--value", "1"], ["order-9"]),
    (["reject", "--older", "1h", "--reason", "x"], ["order-8", "order-9"]),
    (["cancel", "--tag", "t"], []),
    (["reject", "--older", "forever", "--reason", "x"], []),
    (["reject", "--instance", "none", "--reason", "x"], []),
    (["reject", "--older", "1h", "--limit", "1", "--reason", "x"], ["order-8"]),
    (["invalidate", "--kind", "k"], ["h-1"]), (["invalidate", "--scope", "s"], ["h-1"]),
    (["invalidate", "--scope", "s", "--kind", "none"], []),
    (["invalidate", "--older", "1h", "--limit", "0"], []),
  ])
  func manyAreSelected(words: [String], names: [String]) async throws {
    let temporary = try TemporaryLedger()
    var configuration = LedgerConfiguration()
    configuration.clock = ManualLedgerClock()
    let app = try await temporary.open(as: .app, configuration: configuration)
    _ = try await app.createPromise(key: PromiseKey("order-8"), of: Int.self)
    _ = try await app.createPromise(
      key: PromiseKey("order-9"), of: Int.self, tags: ["t"],
      deadline: SystemLedgerClock().now() + .seconds(3_600))
    let handler = try HandlerKey("h-1").handlerID
    _ = try await app.engine.submit(
      CreateHandler(
        id: handler, HandlerDescription(kind: "k", key: "h-1", scopes: ["s"]), arguments: .none))
    await app.close()
    let run = try CommandRun(
      [words[0], temporary.path, "--apply", "--format", "jsonl"] + words.dropFirst())
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == names.count, "\(run.output)")
    for (line, name) in zip(lines, names) {
      #expect(line.contains(#""key":"\#(name)""#) && line.contains(#""result":"done""#))
    }
    #expect(run.notes == "" && run.status == 0)
  }

  @Test(arguments: [
    ["resolve"], ["resolve", "order-7"], ["resolve", "order-7", "--value", "{"],
    ["resolve", "order-7", "--value", "1", "--orphaned"], ["reject", "order-7"],
    ["abandon", "--orphaned"], ["retry", "order-7", "--kind", "k"], ["cancel"],
    ["cancel", "--kind", "k", "--limit=-1"], ["invalidate"], ["invalidate", "--scope"],
    ["invalidate", "iq-1", "--handler-key", "iq-1"], ["retry", "--state", "done"],
    ["cancel", "order-7", "--without-lock"], ["cancel", "--older", "1y"],
    ["cancel", "x", "--reason", String(repeating: "x", count: 2_049)],
  ])
  func invalidOptionsAreUsageErrors(words: [String]) throws {
    let run = try CommandRun([words[0], "/nowhere"] + words.dropFirst() + ["--apply"])
    #expect(run.status == 2 && run.output == "")
  }
}
