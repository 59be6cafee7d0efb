import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// Commits that succeed, although the session does not learn of it.
@Suite(.timeLimit(.minutes(5)))
struct LostAnswerTests {
  private let store = FailingStore()
  private let notes = Notes()
  private let gate = Gate()

  /// Loses the answer to the next commit.
  private static func loseAnswer(in store: FailingStore) {
    store.fail(at: .afterAppend, .commitOutcomeUnknown) { store.mend() }
  }

  // MARK: Claims

  @Test func workWhoseClaimWasNotAnsweredIsGivenBackAndRuns() async throws {
    let ledger = try await openWork(on: store) { _, call in call.attempt }
    let promise = try await ledger.start(ScriptedWork())
    Self.loseAnswer(in: store)
    #expect(try await running(LedgerRunner(ledger)) { try await promise.outcome.get() } == 2)
  }

  @Test func aRunnerGivesBackWhatAnEarlierOneOfItsSessionLost() async throws {
    let ledger = try await openWork(on: store) { _, call in call.attempt }
    let promise = try await ledger.start(ScriptedWork())
    // Its answer is lost.
    _ = try await ledger.engine.submit(
      ClaimWork([promise.id], runnableKinds: [ScriptedWork.kind]))
    #expect(try await running(LedgerRunner(ledger)) { try await promise.outcome.get() } == 2)
  }

  @Test func codeThatWaitsGoesOnThoughItsClaimWasNotAnswered() async throws {
    let clock = ManualLedgerClock()
    let ledger = try await openWork(on: store, clock: clock) { [notes] work, call in
      guard work.name == nil else { return 0 }
      notes.add("begin")
      try await call.sleep(for: .seconds(3_600))
      notes.add("end")
      return call.attempt
    }
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger, limits: .init(total: 1))) { () async throws in
      // It has the only place of the runner until its code knows that its work was given back.
      _ = try await ledger.start(ScriptedWork(name: "next")).outcome
      Self.loseAnswer(in: store)
      clock.advance(by: .seconds(3_600))
      #expect(try await promise.outcome == .fulfilled(2))
    }
    #expect(notes.lines == ["begin", "end"])
  }

  // MARK: Calls that begin with effects

  /// A registry with a handler that notes its calls and its invalidations.
  private func handlers() throws -> HandlerRegistry {
    var handlers = HandlerRegistry()
    let code: Scripted.Code = { [notes, gate, store] scripted, call in
      if let other = scripted.other {
        try call.scheduleCall(of: other)
        Self.loseAnswer(in: store)
        return 1
      }
      notes.add("called")
      await gate.arrive()
      return 2
    }
    try handlers.register(Scripted.self) { [notes, gate] in
      Scripted.Script(code: code) { _, _ in
        notes.add("invalidated")
        await gate.arrive()
      }
    }
    return handlers
  }

  @Test func callsThatWorkScheduledRunThoughTheAnswerToItsEndIsLost() async throws {
    let ledger = try await openWork(on: store, handlers: try handlers()) { [store] _, call in
      try call.scheduleCall(of: call.ledger.handler(forKey: HandlerKey("called")))
      try call.invalidate(call.ledger.handler(forKey: HandlerKey("invalidated")))
      Self.loseAnswer(in: store)
      return 1
    }
    for key in ["called", "invalidated"] {
      try await ledger.createHandler(Scripted.self, key: HandlerKey(key))
    }
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger)) { () async throws in
      #expect(try await promise.outcome == .fulfilled(1))
      await gate.arrival(2)
    }
    #expect(notes.lines == ["called", "invalidated"])
  }

  @Test func callsThatAStepScheduledRunThoughTheAnswerToItsEndIsLost() async throws {
    let ledger = try await openWork(on: store, handlers: try handlers()) { [notes, store] _, call in
      let handler = try call.ledger.handler(forKey: HandlerKey("called"))
      try await call.step("one") { step in
        notes.add("body")
        try step.scheduleCall(of: handler)
        Self.loseAnswer(in: store)
      }
      return 1
    }
    try await ledger.createHandler(Scripted.self, key: HandlerKey("called"))
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger)) { () async throws in
      #expect(try await promise.outcome == .fulfilled(1))
      await gate.arrival()
    }
    #expect(notes.lines == ["body", "called"])
  }

  @Test func callsThatACallScheduledRunThoughTheAnswerToItsEndIsLost() async throws {
    let ledger = try await openWork(on: store, handlers: try handlers())
    let second = try await ledger.createHandler(Scripted.self).handler
    let first = try await ledger.createHandler(Scripted.self, ["other": second]).handler
    await expectError(.commitOutcomeUnknown) { try await first.call() }
    await gate.arrival()
    #expect(notes.lines == ["called"])
    #expect(try await first.record?.lastFinish?.outcome == .returned)
    for try await event in ledger.events()
    where event.kind == .handlerCallFinished && event.subject == second.id.entityID { break }
  }

  @Test func aCallThatDidNotBeginIsNotRun() async throws {
    let ledger = try await openWork(on: store, handlers: try handlers()) { [store] _, call in
      try call.scheduleCall(of: call.ledger.handler(forKey: HandlerKey("invalidated")))
      Self.loseAnswer(in: store)
      return 1
    }
    let handler = try await ledger.createHandler(
      Scripted.self, key: HandlerKey("invalidated")
    ).handler
    try await handler.invalidate()
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger)) { () async throws in
      #expect(try await promise.outcome == .fulfilled(1))
    }
    #expect(notes.lines == ["invalidated"])
  }
}
