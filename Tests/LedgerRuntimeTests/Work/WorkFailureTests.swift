import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

/// Attempts that fail, take too long, or are cancelled.
@Suite(.timeLimit(.minutes(5)))
struct WorkFailureTests {
  private static let failure = ScriptedError(text: "broken")

  private let clock = ManualLedgerClock()
  private let lab: WorkLedger

  init() throws {
    lab = try WorkLedger(clock: clock)
  }

  @Test func codeThatFailsIsRunAgainLater() async throws {
    let ledger = try await lab.open { _, call in
      guard call.attempt == 3 else { throw Self.failure }
      return call.attempt
    }
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger)) {
      for count in 1...2 {
        let failed = try await record(of: promise.id, in: ledger) {
          $0.work?.failureCount == count
        }
        guard case .waiting(.at(let time))? = failed.work?.state else {
          Issue.record("\(String(describing: failed.work))")
          return
        }
        #expect(failed.work?.lastError?.decode(as: ScriptedError.self) == nil)
        #expect(failed.work?.lastError?.domain == "ScriptedError")
        #expect(time > clock.now() && time <= clock.now() + .seconds(count))
        clock.advance(by: .seconds(count))
      }
      #expect(try await promise.outcome == .fulfilled(3))
    }
  }

  @Test func theLastFailureRejectsThePromise() async throws {
    let ledger = try await lab.open { _, _ in throw Self.failure }
    let policy = try WorkRetryPolicy(failureLimit: 1)
    let outcome = try await running(LedgerRunner(ledger)) {
      try await ledger.start(ScriptedWork(), options: WorkOptions(retryPolicy: policy)).outcome
    }
    guard case .rejected(let error) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(error.decode(as: ScriptedError.self) == Self.failure)
  }

  @Test func aPermanentErrorIsNotTriedAgain() async throws {
    let ledger = try await lab.open { _, _ in throw Permanent(Self.failure) }
    let outcome = try await running(LedgerRunner(ledger)) {
      try await ledger.start(ScriptedWork()).outcome
    }
    #expect(outcome == .rejected(StoredError(Self.failure)))
  }

  @Test func parkedWorkWaitsForAnOperator() async throws {
    let fails = Flag()
    fails.set()
    let ledger = try await lab.open { _, call in
      if fails.isSet { throw Self.failure }
      return call.attempt
    }
    let policy = try WorkRetryPolicy(failureLimit: 1, givingUp: .park)
    let promise = try await ledger.start(
      ScriptedWork(), options: WorkOptions(retryPolicy: policy))
    try await running(LedgerRunner(ledger)) {
      _ = try await record(of: promise.id, in: ledger) { $0.work?.state == .parked }
      fails.clear()
      guard case .amended = try await ledger.retryWork(promise.id) else {
        Issue.record("not amended")
        return
      }
      #expect(try await promise.outcome == .fulfilled(2))
    }
    guard case .alreadyEnded = try await ledger.parkWork(promise.id) else {
      Issue.record("parked")
      return
    }
  }

  @Test func workThatDoesNotRunIsCancelledAtOnce() async throws {
    let ledger = try await lab.open()
    let promise = try await ledger.start(ScriptedWork())
    guard case .cancelled = try await promise.cancelWork(reason: "enough") else {
      Issue.record("not cancelled")
      return
    }
    #expect(try await promise.outcome == .cancelled(reason: "enough"))
    guard case .alreadyEnded = try await promise.cancelWork() else {
      Issue.record("cancelled twice")
      return
    }
    await expectError(.invalidArgument) {
      try await ledger.cancelWork(try await ledger.createPromise(of: Int.self).id)
    }
  }

  @Test(arguments: [false, true])
  func codeThatRunsIsAskedToEnd(byAnotherSession: Bool) async throws {
    let gate = Gate()
    let ledger = try await lab.open { _, _ in
      await gate.pass()
      try await Task.sleep(for: .seconds(3_600))
      return 0
    }
    gate.open()
    let other = byAnotherSession ? try await lab.open() : ledger
    try await running(LedgerRunner(ledger)) {
      let promise = try await ledger.start(ScriptedWork())
      await gate.arrival()
      guard case .requested = try await other.cancelWork(promise.id, reason: "enough") else {
        Issue.record("not requested")
        return
      }
      #expect(try await promise.outcome == .cancelled(reason: "enough"))
    }
  }

  @Test func aValueCountsEvenAfterARequestToCancel() async throws {
    let gate = Gate()
    let ledger = try await lab.open { _, _ in
      await gate.pass()
      return 8
    }
    try await running(LedgerRunner(ledger)) {
      let promise = try await ledger.start(ScriptedWork())
      await gate.arrival()
      try await promise.cancelWork()
      gate.open()
      #expect(try await promise.outcome == .fulfilled(8))
    }
  }

  @Test func aDeadlineEndsTheCode() async throws {
    let gate = Gate()
    let ended = Gate.opened
    let ledger = try await lab.open { _, call in
      await gate.pass()
      do {
        try await Task.sleep(for: .seconds(3_600))
      } catch {
        await ended.pass()
        throw error
      }
      return 0
    }
    gate.open()
    try await running(LedgerRunner(ledger)) {
      let promise = try await ledger.start(
        ScriptedWork(), deadline: clock.now() + .seconds(10))
      await gate.arrival()
      clock.advance(by: .seconds(10))
      #expect(try await promise.outcome == .timedOut)
      await ended.arrival()
    }
  }
}
