import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Attempts that take too long, by the clock of the session.
@Suite(.timeLimit(.minutes(5)))
struct AttemptTimeoutTests {
  private let clock = ManualLedgerClock()
  private let lab: WorkLedger
  private let gate = Gate()

  init() throws {
    lab = try WorkLedger(clock: clock)
  }

  private func options(failureLimit: Int = 1) throws -> WorkOptions {
    WorkOptions(
      retryPolicy: try WorkRetryPolicy(failureLimit: failureLimit),
      attemptTimeout: .seconds(3_600))
  }

  @Test func itIsCancelledWhenTheClockSaysSo() async throws {
    let ledger = try await lab.open { [gate] work, _ in
      if work.name != nil { return 1 }
      await gate.arrive()
      try await Task.sleep(for: .seconds(1_000_000))
      return 0
    }
    let promise = try await ledger.start(ScriptedWork(), options: try options())
    let outcome = try await running(LedgerRunner(ledger)) {
      await gate.arrival()
      clock.advance(by: .seconds(3_600))
      // An attempt that goes on would keep the test waiting until its time limit.
      for _ in 0..<500 where try await promise.record?.status == .pending {
        _ = try await ledger.start(ScriptedWork(name: "next")).outcome
      }
      return try await promise.record?.status == .pending ? nil : try await promise.outcome
    }
    guard case .rejected(let error)? = outcome else {
      Issue.record("\(outcome.map { "\($0)" } ?? "It goes on.")")
      return
    }
    #expect(error.domain == "PromiseLedger.work" && error.message.contains("took longer"))
  }

  @Test func gettingReadyCountsToo() async throws {
    var configuration = LedgerConfiguration()
    configuration.clock = clock
    try configuration.handlers.register(ScriptedWork.self) { [gate] in
      await gate.arrive()
      try await Task.sleep(for: .seconds(1_000_000))
      return ScriptedWork.Script { _, _ in 0 }
    }
    let ledger = try await lab.temporary.open(as: .app, configuration: configuration)
    let promise = try await ledger.start(ScriptedWork(), options: try options())
    let outcome = try await running(LedgerRunner(ledger)) {
      await gate.arrival()
      clock.advance(by: .seconds(3_600))
      return try await promise.outcome
    }
    guard case .rejected(let error) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(error.message.contains("took longer"))
  }

  /// Tells of its end.
  private final class Context: Sendable {
    let notes: Notes
    let end: AsyncStream<Void>.Continuation

    init(_ notes: Notes, _ end: AsyncStream<Void>.Continuation) {
      self.notes = notes
      self.end = end
    }

    deinit { end.finish() }
  }

  /// Another attempt may run by then.
  @Test func codeDoesNotBeginAfterTheTimeWasOver() async throws {
    let notes = Notes()
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    var configuration = LedgerConfiguration()
    configuration.clock = clock
    try configuration.handlers.register(ScriptedWork.self) { [gate] in
      let context = Context(notes, end)
      // It ignores its cancellation.
      await gate.pass()
      return ScriptedWork.Script { _, _ in
        context.notes.add("code")
        return 0
      }
    }
    let ledger = try await lab.temporary.open(as: .app, configuration: configuration)
    let promise = try await ledger.start(ScriptedWork(), options: try options())
    try await running(LedgerRunner(ledger)) { () async throws in
      await gate.arrival()
      clock.advance(by: .seconds(3_600))
      #expect(try await promise.outcome.kind == .rejected)
      gate.open()
      for await _ in ends {}
    }
    #expect(notes.lines == [])
  }

  @Test func codeThatIgnoresItIsLeftBehind() async throws {
    let ledger = try await lab.open { [gate] work, _ in
      if work.name == nil { await gate.pass() }
      return 2
    }
    let lane = try WorkLane("lane")
    var hung = try options()
    hung.lane = lane
    let promise = try await ledger.start(ScriptedWork(), options: hung)
    let next = try await ledger.start(ScriptedWork(name: "next"), options: WorkOptions(lane: lane))
    let limits = RunnerLimits(total: 1)
    try await running(LedgerRunner(ledger, limits: limits)) { () async throws in
      await gate.arrival()
      clock.advance(by: .seconds(3_600))
      // It takes neither the place of the runner nor that in the lane.
      #expect(try await next.outcome == .fulfilled(2))
      #expect(try await promise.outcome.kind == .rejected)
      gate.open()
    }
  }

  @Test func timeInWhichTheWorkWasGivenBackDoesNotCount() async throws {
    let ledger = try await lab.open { work, call in
      if work.name == nil { try await call.sleep(for: .seconds(10_000)) }
      return call.attempt
    }
    let promise = try await ledger.start(ScriptedWork(), options: try options())
    let outcome = try await running(LedgerRunner(ledger, limits: .init(total: 1))) {
      // It has the only place of the runner until its code knows that its work was given back.
      _ = try await ledger.start(ScriptedWork(name: "next")).outcome
      clock.advance(by: .seconds(10_000))
      return try await promise.outcome
    }
    #expect(outcome == .fulfilled(2))
  }

  @Test func timeInWhichTheSessionWasFrozenDoesNotCount() async throws {
    let (answers, answer) = AsyncStream.makeStream(of: Int.self)
    let ledger = try await lab.open { [gate] work, _ in
      if work.name != nil { return 1 }
      await gate.arrive()
      for await value in answers { return value }
      throw CancellationError()
    }
    let promise = try await ledger.start(ScriptedWork(), options: try options())
    let outcome = try await running(LedgerRunner(ledger)) {
      await gate.arrival()
      clock.advance(by: .seconds(1_000))
      #expect(try await ledger.freeze())
      clock.advance(by: .seconds(4_000))
      try await ledger.unfreeze()
      clock.advance(by: .seconds(2_599))
      // Code that was cancelled would end meanwhile.
      for _ in 0..<20 { _ = try await ledger.start(ScriptedWork(name: "next")).outcome }
      answer.yield(5)
      return try await promise.outcome
    }
    #expect(outcome == .fulfilled(5))
  }

  /// Not every few milliseconds either, if as little is left.
  @Test func theTimerOfAnAttemptRestsWhileTheTimeStandsStill() async throws {
    let lab = try WorkLedger()
    let (ledger, other) = (try await lab.open(), try await lab.open())
    #expect(try await ledger.freeze())
    let looks = Notes()
    let flow = WorkFlow(nil) {
      looks.add("look")
      return .zero
    }
    async let end: Void = Interruption().limiting(.milliseconds(1), flow, in: ledger) {
      [gate] in await gate.pass()
    }
    await gate.arrival()
    for _ in 0..<100 { _ = try await other.createPromise(of: Int.self) }
    gate.open()
    try await end
    #expect(looks.lines.count <= 2)
    await ledger.close()
    await other.close()
  }

  @Test func afterTwiceItsTimeARunnerOfAnotherSessionTakesItOver() async throws {
    // Its process is stopped: it has started an attempt, and does nothing more.
    let stopped = try await lab.open()
    let ledger = try await lab.open { _, call in 10 * call.attempt }
    let promise = try await ledger.start(ScriptedWork(), options: try options())
    let claim = ClaimWork([promise.id], runnableKinds: [ScriptedWork.kind])
    guard case .started = try await stopped.engine.submit(claim)[0] else {
      Issue.record("not started")
      return
    }
    try await running(LedgerRunner(ledger)) {
      clock.advance(by: .seconds(7_199))
      _ = try await ledger.start(ScriptedWork()).outcome
      #expect(try await promise.record?.work?.attemptCount == 1)
      clock.advance(by: .seconds(1))
      #expect(try await promise.outcome == .fulfilled(20))
    }
    // The late result of the stopped process counts no more.
    let late = FinishWork(
      id: promise.id, attempt: 1, result: .returned(typeTag: "int", bytes: Array("5".utf8)))
    guard case .superseded = try await stopped.engine.submit(late) else {
      Issue.record("not superseded")
      return
    }
  }

  @Test func aStoppedProcessThatComesBackRecordsNothingAndItsCodeLearnsWhy() async throws {
    let (notes, told) = (Notes(), Gate())
    let stopped = try await WorkLedger(lab.temporary, clock: ManualLedgerClock()).open {
      [gate] work, call in
      do {
        let charge = try await call.step("charge") { step in
          try step.fulfill(try #require(work.promise), 1)
          await gate.pass()
          return 5
        }
        notes.add("charged")
        return charge
      } catch {
        notes.add("\(error)")
        _ = try? await call.step("refund") { _ in notes.add("refunded") }
        await told.arrive()
        throw error
      }
    }
    let ledger = try await lab.open { _, call in
      try await call.step("charge") { _ in 10 * call.attempt }
    }
    let signal = try await ledger.createPromise(of: Int.self)
    let promise = try await ledger.start(
      ScriptedWork(promise: signal), options: try options())
    // Its clock stands still while the process is stopped.
    try await running(LedgerRunner(stopped)) { () async throws in
      await gate.arrival()
      clock.advance(by: .seconds(7_200))
      let outcome = try await running(LedgerRunner(ledger)) { try await promise.outcome }
      #expect(outcome == .fulfilled(20))
      gate.open()
      await told.arrival()
    }
    #expect(notes.lines == ["WorkSuspended()"])
    #expect(try await signal.record?.status == .pending)
    #expect(try await promise.record?.work?.attemptCount == 2)
  }
}
