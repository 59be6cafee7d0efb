import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// Work whose process died, which may have ended it.
@Suite(.timeLimit(.minutes(5)))
struct SuspectTests {
  @Test func aSuspectThatFinishesAStepHoldsUpNoOther() async throws {
    let tester = LedgerTester()
    let (begun, end) = (Gate(), Gate())
    var handlers = HandlerRegistry()
    try handlers.register(ScriptedWork.self) {
      ScriptedWork.Script { work, call in
        if call.attempt == 1 {
          await begun.arrive()
          try await Task.sleep(for: .seconds(3_600))
        }
        if work.name == "first" {
          try await call.step("one") { _ in }
          await end.pass()
        }
        return 1
      }
    }
    let app = try await tester.open(handlers)
    let first = try await app.ledger.start(ScriptedWork(name: "first"))
    let second = try await app.ledger.start(ScriptedWork(name: "second"))
    let run = Task { try await tester.runDue(app) }
    await begun.arrival(2)
    await app.kill()
    _ = try? await run.value
    let other = try await tester.open(handlers)
    try await running(LedgerRunner(other.ledger)) {
      let seen = try other.promise(second)
      try await tester.wait(until: "the second work ends", patience: .seconds(30)) {
        try await seen.record?.status != .pending
      }
      #expect(try await other.promise(first).record?.status == .pending)
      end.open()
      #expect(try await other.promise(first).outcome == .fulfilled(1))
    }
    await tester.close()
  }
}
