import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// `explain`: exact output and exit code.
@Suite(.timeLimit(.minutes(10)))
struct ExplainCommandTests {
  private static let session = "session 019b76da-a800-7000-8700-000000000002"

  private func name(_ number: Int) -> String { "019b76da-a800-7000-8700-000000000a0\(number)" }

  /// The line about the session of the sample while it is open.
  private static let alive =
    "session   019b76da-a800-7000-8700-000000000002 is alive (app \"shop\", process \(ProcessInfo.processInfo.processIdentifier))"

  /// A line with a command about a promise of the sample.
  private func command(
    _ verb: String, _ number: Int, _ options: String = "", in sample: WorkSampleLedger
  ) -> String {
    "command   promise-ledger \(verb) \(sample.path) \(name(number))\(options)"
  }

  private func explain(_ number: Int, in sample: WorkSampleLedger) throws -> CommandRun {
    let run = try CommandRun("explain", sample.path, name(number))
    #expect(run.notes == "" && run.status == 0)
    return run
  }

  @Test func workThatAwaitsAPromiseIsExplained() async throws {
    let sample = try await WorkSampleLedger()
    #expect(
      try explain(2, in: sample).output == """
        promise   \(name(2))
        state     pending
        label     Publish 7
        kind      publish
        reason    Its code runs when promise \(name(1)) is fulfilled; the promise is pending. It has waited since 2026-01-01T00:00:00.000000Z.
          action  See what promise \(name(1)) waits for (promise-ledger explain).
        \(Self.alive)
        \(command("explain", 1, in: sample))

        """)
    #expect(
      try explain(1, in: sample).output == """
        promise   \(name(1))
        state     pending
        label     Upload 7
        reason    It has been pending since 2026-01-01T00:00:00.000000Z, when \(Self.session) created it.
          action  Resolve promise \(name(1)), in any process (DurablePromise.resolve).
          action  Abandon promise \(name(1)), in any process (promise-ledger abandon).
        reason    Work waits for it: promise \(name(2)).
        \(Self.alive)
        \(command("resolve", 1, " --value JSON --apply", in: sample))
        \(command("abandon", 1, " --reason TEXT --apply", in: sample))

        """)
    await sample.close()
  }

  @Test func workThatRunsIsExplained() async throws {
    let sample = try await WorkSampleLedger()
    #expect(
      try explain(4, in: sample).output == """
        promise   \(name(4))
        state     pending
        kind      mail
        reason    Attempt 1 has run since 2026-01-01T00:00:01.000000Z in \(Self.session). Its process is alive.
          action  Wait for the end of the code.
          action  Cancel the work of promise \(name(4)) (Ledger.cancelWork).
        \(Self.alive)
        \(command("cancel", 4, " --reason TEXT --apply", in: sample))

        """)
    await sample.close()
  }

  @Test func workThatFailedIsExplained() async throws {
    let sample = try await WorkSampleLedger()
    let time = try #require(try await sample.retryTime())
    #expect(
      try explain(5, in: sample).output == #"""
        promise   \#(name(5))
        state     pending
        kind      mail
        reason    The code failed once, the last time at 2026-01-01T00:00:02.000000Z, with mail 550: no \u{1B}[31mmailbox. It runs again at \#(time).
          action  Wait until \#(time).
          action  Make the work of promise \#(name(5)) due (promise-ledger retry).
        \#(Self.alive)
        \#(command("retry", 5, " --apply", in: sample))

        """#)
    #expect(
      try explain(6, in: sample).output == #"""
        promise   \#(name(6))
        state     pending
        kind      mail
        reason    It has been parked since 2026-01-01T00:00:02.000000Z, because the code failed once, with mail 550: no \u{1B}[31mmailbox.
          action  Make the work of promise \#(name(6)) due (promise-ledger retry).
          action  Cancel the work of promise \#(name(6)) (Ledger.cancelWork).
          action  Settle promise \#(name(6)) in place of its code (promise-ledger force).
        \#(Self.alive)
        \#(command("retry", 6, " --apply", in: sample))
        \#(command("cancel", 6, " --reason TEXT --apply", in: sample))
        \#(command("force", 6, " --value JSON --apply", in: sample))

        """#)
    await sample.close()
  }

  @Test func workBehindOtherWorkIsExplained() async throws {
    let sample = try await WorkSampleLedger()
    await sample.close()
    #expect(
      try explain(8, in: sample).output == #"""
        promise   \#(name(8))
        state     pending
        kind      mail
        reason    Earlier work of lane "account/42" is due first: promise \#(name(7)) of the kind "a\u{1B}[2J\u{A}b" is due.
          action  Open the ledger in a process that has a runner and knows the kind "a\u{1B}[2J\u{A}b".
          action  Park the work of promise \#(name(7)) (promise-ledger park).
        reason    It has been due since 2026-01-01T00:00:00.000000Z, and no session is open that could run the kind "mail".
          action  Open the ledger in a process that has a runner and knows the kind "mail".
        session   019b76da-a800-7000-8700-000000000002 is ended (app "shop")
        \#(command("park", 7, " --apply", in: sample))

        """#)
  }

  @Test func jsonHasEverything() async throws {
    let sample = try await WorkSampleLedger()
    let run = try CommandRun("explain", sample.path, name(4), "--format", "json")
    #expect(
      run.output == """
        {"commands":["promise-ledger cancel \(sample.path) \(name(4)) --reason TEXT --apply"],"handlerKind":"mail","id":"\(name(4))","reasons":[{"actions":[{"action":"waitForCode","text":"Wait for the end of the code."},{"action":"cancel","text":"Cancel the work of promise \(name(4)) (Ledger.cancelWork)."}],"reason":"runs","sessions":["019b76da-a800-7000-8700-000000000002"],"since":"2026-01-01T00:00:01.000000Z","text":"Attempt 1 has run since 2026-01-01T00:00:01.000000Z in \(Self.session). Its process is alive."}],"sessions":[{"id":"019b76da-a800-7000-8700-000000000002","instance":"shop","liveness":"alive","processID":\(ProcessInfo.processInfo.processIdentifier),"role":"app"}],"state":"pending"}

        """)
    #expect(run.notes == "" && run.status == 0)
    let waiting = try CommandRun("explain", sample.path, name(3), "--format", "jsonl")
    #expect(waiting.output.contains(#""reason":"awaitsTime","since":"2026-01-01T"#))
    #expect(waiting.output.contains(#""until":"2100-01-01T00:00:00.000000Z""#))
    let follower = try CommandRun("explain", sample.path, name(2), "--format", "jsonl")
    #expect(follower.output.contains(#""promises":["\#(name(1))"]"#))
    await sample.close()
  }

  @Test func aChainIsFollowed() async throws {
    let sample = try await WorkSampleLedger()
    _ = try await sample.submit(
      CreatePromise(
        id: WorkSampleLedger.id(9),
        creation: PromiseCreated(
          typeTag: "int", lifetime: .untilSettled,
          source: .work(.init(kind: "report", trigger: .after(WorkSampleLedger.id(2), .any)))),
        isStrict: true))
    let run = try explain(9, in: sample)
    #expect(run.output.contains("\nchain     \(name(2)) \(name(1))\n"))
    await sample.close()
  }

  @Test func aHandlerIsExplained() async throws {
    let sample = try await CompactedSampleLedger()
    let run = try CommandRun("explain", sample.path, "--handler-key", "iq-1")
    #expect(
      run.output == #"""
        handler   8ecd4fe9-ff8f-8c34-a532-3e6ab0c3605f
        state     active
        key       iq-1
        label     a\u{1B}[2J\u{A}\u{202E}b
        kind      a\u{1B}[2J\u{A}\u{202E}b
        reason    Call 019b76da-a800-7000-8700-000000000a11 was given back at 2026-01-12T00:00:00.000000Z (not runnable). A session that knows the kind "a\u{1B}[2J\u{A}\u{202E}b" may run it again.
          action  Retry the call in a process that knows the kind "a\u{1B}[2J\u{A}\u{202E}b" (Ledger.retryUnfinishedCalls).
          action  Invalidate handler 8ecd4fe9-ff8f-8c34-a532-3e6ab0c3605f (DurableHandler.invalidate).
        session   019b76da-a800-7000-8700-000000000002 is ended (app "default")
        command   promise-ledger invalidate \#(sample.path) 8ecd4fe9-ff8f-8c34-a532-3e6ab0c3605f --reason TEXT --apply

        """#)
    #expect(run.notes == "" && run.status == 0)
  }

  @Test func onlyPromisesAndHandlersAreExplained() async throws {
    let sample = try await SampleLedger()
    let session = "019b76da-a800-7000-8700-000000000002"
    let run = try CommandRun("explain", sample.path, session)
    #expect(
      run.notes == "promise-ledger: \(session) is a session. Explain a promise or a handler.\n")
    #expect(run.output == "" && run.status == 2)
    #expect(try CommandRun("explain", sample.path, "ffff").status == 3)
    #expect(try CommandRun("explain", sample.path).status == 2)
    #expect(try CommandRun("explain", sample.path, "4b", "--key", "a").status == 2)
  }
}
