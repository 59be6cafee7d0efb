import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// Runners that must end although something holds them up.
@Suite(.timeLimit(.minutes(5)))
struct RunnerEndTests {
  private static let atOnce = RunnerLimits(gracePeriod: .zero)

  private let lab: WorkLedger

  init() throws {
    lab = try WorkLedger()
  }

  /// Starts a runner whose task a test can cancel.
  private func run(_ ledger: Ledger) -> Task<Void, any Error> {
    Task { try await LedgerRunner(ledger, limits: Self.atOnce).run() }
  }

  // MARK: Closing

  @Test func aFrozenLedgerWithARunnerCloses() async throws {
    let gate = Gate()
    let ledger = try await lab.open(runner: .automatic(Self.atOnce)) { _, _ in
      await gate.arrive()
      try await Task.sleep(for: .seconds(3_600))
      return 1
    }
    _ = try await ledger.start(ScriptedWork())
    await gate.arrival()
    try await ledger.freeze()
    // Nothing can be recorded any more, and nothing has to be.
    await ledger.close()
  }

  @Test func aLedgerClosesBesideCodeThatIgnoresCancellation() async throws {
    let gate = Gate()
    let ledger = try await lab.open(runner: .automatic(Self.atOnce)) { _, _ in
      await gate.pass()
      return 1
    }
    let promise = try await ledger.start(ScriptedWork())
    await gate.arrival()
    await ledger.close()
    let next = try await lab.open { _, call in 10 * call.attempt }
    let found = try next.promise(id: promise.id, of: Int.self)
    #expect(try await running(LedgerRunner(next)) { try await found.outcome.get() } == 20)
    gate.open()
  }

  // MARK: Cancelling the task of a runner

  @Test func codeThatIgnoresCancellationIsLeftBehindAndItsWorkGivenBack() async throws {
    let gate = Gate()
    let ledger = try await lab.open { _, _ in
      await gate.pass()
      return 1
    }
    let other = try await lab.open { _, call in 10 * call.attempt }
    let promise = try await ledger.start(ScriptedWork())
    let runner = run(ledger)
    await gate.arrival()
    runner.cancel()
    try await runner.value
    let found = try other.promise(id: promise.id, of: Int.self)
    #expect(try await running(LedgerRunner(other)) { try await found.outcome.get() } == 20)
    gate.open()
  }

  @Test func aRunnerOfAFrozenSessionEnds() async throws {
    let gate = Gate()
    let ledger = try await lab.open { _, call in
      guard call.attempt == 1 else { return 7 }
      await gate.arrive()
      try await Task.sleep(for: .seconds(3_600))
      return 1
    }
    let promise = try await ledger.start(ScriptedWork())
    let runner = run(ledger)
    await gate.arrival()
    try await ledger.freeze()
    runner.cancel()
    try await runner.value
    try await ledger.unfreeze()
    #expect(try await running(LedgerRunner(ledger)) { try await promise.outcome.get() } == 7)
  }

  @Test func aRunnerOfAFrozenSessionWithNothingToDoEnds() async throws {
    let ledger = try await lab.open { _, _ in 3 }
    let runner = run(ledger)
    _ = try await ledger.start(ScriptedWork()).outcome
    try await ledger.freeze()
    let starting = Task { try await ledger.start(ScriptedWork()) }
    runner.cancel()
    try await runner.value
    try await ledger.unfreeze()
    let promise = try await starting.value
    #expect(try await running(LedgerRunner(ledger)) { try await promise.outcome.get() } == 3)
  }

  // MARK: Draining

  @Test func aDrainEndsAtItsDeadlineThoughTheSessionIsFrozen() async throws {
    let gate = Gate()
    let ledger = try await lab.open { _, _ in
      await gate.arrive()
      try await Task.sleep(for: .seconds(3_600))
      return 0
    }
    let promise = try await ledger.start(ScriptedWork())
    let draining = Task {
      try await LedgerRunner(ledger).drain(until: .now + .milliseconds(500))
    }
    await gate.arrival()
    try await ledger.freeze()
    #expect(try await !draining.value)
    try await ledger.unfreeze()
    #expect(try await promise.record?.work?.state == .waiting(.now))
  }

  @Test func aDrainThatBeginsWhileTheSessionIsFrozenEnds() async throws {
    let ledger = try await lab.open()
    try await ledger.freeze()
    #expect(try await !LedgerRunner(ledger).drain(until: .now + .milliseconds(50)))
  }

  @Test func aDrainIsCancelledWhileTheSessionIsFrozen() async throws {
    let ledger = try await lab.open()
    try await ledger.freeze()
    let draining = Task { try await LedgerRunner(ledger).drain(until: .now + .seconds(3_600)) }
    draining.cancel()
    await #expect(throws: CancellationError.self) { try await draining.value }
  }
}
