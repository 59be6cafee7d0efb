import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// Code that catches every error, although its runner stops or its attempt takes too long.
@Suite(.timeLimit(.minutes(5)))
struct InterruptedCodeTests {
  private let notes = Notes()
  private let gate = Gate()

  /// Ships, and takes every error for a failure of the shipping.
  private func ship(_ call: WorkCall<ScriptedWork.Script>) async throws -> Int {
    do {
      try await call.step("ship") { [notes, gate] _ in
        notes.add("ship")
        guard call.attempt == 1 else { return }
        await gate.arrive()
        try await Task.sleep(for: .seconds(3_600))
      }
      return 1
    } catch {
      _ = try? await call.sleep(for: .zero, name: "pause")
      _ = try? await call.promise("answer", of: Int.self)
      _ = try? await call.step("refund", ignoringCancellation: true) { [notes] _ in
        notes.add("refund")
      }
      return -1
    }
  }

  @Test func aRunnerThatStopsDoesNotMakeTheCodeTakeAnotherWay() async throws {
    let lab = try WorkLedger()
    let ledger = try await lab.open { _, call in try await ship(call) }
    let promise = try await ledger.start(ScriptedWork())
    let runner = Task {
      try await LedgerRunner(ledger, limits: .init(gracePeriod: .zero)).run()
    }
    await gate.arrival()
    runner.cancel()
    try await runner.value
    let work = try #require(try await promise.record?.work)
    #expect(work.state == .waiting(.now) && work.failureCount == 0 && work.steps == [])
    #expect(try await running(LedgerRunner(ledger)) { try await promise.outcome.get() } == 1)
    #expect(notes.lines == ["ship", "ship"])
  }

  @Test func anAttemptThatTakesTooLongFailsThoughItsCodeReturnsAValue() async throws {
    let clock = ManualLedgerClock()
    let lab = try WorkLedger(clock: clock)
    let ledger = try await lab.open { _, call in try await ship(call) }
    let options = WorkOptions(
      retryPolicy: try WorkRetryPolicy(firstDelay: .zero, longestDelay: .zero),
      attemptTimeout: .seconds(60))
    let promise = try await ledger.start(ScriptedWork(), options: options)
    try await running(LedgerRunner(ledger)) { () async throws in
      await gate.arrival()
      clock.advance(by: .seconds(60))
      #expect(try await promise.outcome == .fulfilled(1))
      #expect(try await promise.record?.work?.failureCount == 1)
    }
    #expect(notes.lines == ["ship", "ship"])
  }

  @Test func aValueCountsThoughTheRunnerStops() async throws {
    let lab = try WorkLedger()
    let ledger = try await lab.open { [gate] _, call in
      try await call.step("one") { _ in }
      await gate.arrive()
      try? await Task.sleep(for: .seconds(3_600))
      return 4
    }
    let promise = try await ledger.start(ScriptedWork())
    let runner = Task {
      try await LedgerRunner(ledger, limits: .init(gracePeriod: .zero)).run()
    }
    await gate.arrival()
    runner.cancel()
    try await runner.value
    #expect(try await promise.outcome == .fulfilled(4))
  }

  @Test func aResultThatABodyReturnsWhenItsRunnerStopsIsKept() async throws {
    let lab = try WorkLedger()
    let ledger = try await lab.open { [gate, notes] _, call in
      let value = try await call.step("one") { _ in
        notes.add("one")
        await gate.arrive()
        try? await Task.sleep(for: .seconds(3_600))
        return 5
      }
      return try await call.step("two") { _ in value + call.attempt }
    }
    let promise = try await ledger.start(ScriptedWork())
    let runner = Task {
      try await LedgerRunner(ledger, limits: .init(gracePeriod: .zero)).run()
    }
    await gate.arrival()
    runner.cancel()
    try await runner.value
    #expect(try await promise.record?.work?.steps == ["one"])
    #expect(try await running(LedgerRunner(ledger)) { try await promise.outcome.get() } == 7)
    #expect(notes.lines == ["one"])
  }
}
