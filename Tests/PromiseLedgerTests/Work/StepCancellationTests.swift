import PromiseLedger
import PromiseLedgerTesting
import Testing

/// The cancellation of work with steps, which may have something to undo.
@Suite(.timeLimit(.minutes(5)))
struct StepCancellationTests {
  private let clock = ManualLedgerClock()
  private let notes = Notes()
  private let lab: WorkLedger

  init() throws {
    lab = try WorkLedger(clock: clock)
  }

  /// Code that undoes its first step if the second part of it fails.
  private func undoing(
    _ rest: @escaping @Sendable (WorkCall<ScriptedWork.Script>) async throws -> Void
  ) -> WorkLedger.Code {
    { [notes] _, call in
      try await call.step("charge") { _ in notes.add("charge") }
      do {
        try await rest(call)
      } catch let failure as StepFailure {
        #expect(!Task.isCancelled)
        try await call.step("refund") { _ in notes.add("refund \(Task.isCancelled)") }
        throw failure
      }
      return 0
    }
  }

  @Test func aBodyThatRunsIsCancelledAndTheCodeUndoesTheRest() async throws {
    let gate = Gate()
    let ledger = try await lab.open(
      undoing { call in
        try await call.step("ship") { _ in
          gate.open()
          try await Task.sleep(for: .seconds(3_600))
        }
      })
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger)) {
      await gate.pass()
      guard case .requested = try await promise.cancelWork(reason: "changed my mind") else {
        Issue.record("not requested")
        return
      }
      #expect(try await promise.outcome == .cancelled(reason: "changed my mind"))
    }
    #expect(notes.lines == ["charge", "refund false"])
  }

  @Test func codeThatWaitsLearnsOfTheCancellation() async throws {
    let ledger = try await lab.open(undoing { call in try await call.sleep(for: .seconds(9)) })
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger)) {
      _ = try await record(of: promise.id, in: ledger) {
        if case .waiting(.firstOf)? = $0.work?.state { true } else { false }
      }
      guard case .requested = try await promise.cancelWork() else {
        Issue.record("not requested")
        return
      }
      #expect(try await promise.outcome == .cancelled(reason: ""))
    }
    #expect(notes.lines == ["charge", "refund false"])
  }

  @Test func eachAttemptLearnsOfItAtTheSamePlace() async throws {
    let code: WorkLedger.Code = { [notes] work, call in
      try await call.step("charge") { _ in }
      do {
        _ = try await call.value(of: try #require(work.promise))
      } catch let failure as StepFailure {
        notes.add("\(call.attempt) \(failure.isCancellation)")
        guard call.attempt > 3 else { throw ScriptedError(text: "again") }
        throw failure
      }
      return 0
    }
    let policy = try WorkRetryPolicy(firstDelay: .zero, longestDelay: .zero)
    let ledger = try await lab.open(code)
    let awaited = try await ledger.createPromise(of: Int.self)
    let promise = try await ledger.start(
      ScriptedWork(promise: awaited), options: WorkOptions(retryPolicy: policy))
    try await running(LedgerRunner(ledger)) {
      _ = try await record(of: promise.id, in: ledger) {
        if case .waiting(.firstOf)? = $0.work?.state { true } else { false }
      }
      try await promise.cancelWork()
      // Later attempts find it settled.
      try await awaited.fulfill(1)
      #expect(try await promise.outcome == .cancelled(reason: ""))
    }
    #expect(notes.lines == ["2 true", "3 true", "4 true"])
  }

  @Test func workWithoutStepsThatWaitsIsCancelledAtOnce() async throws {
    let ledger = try await lab.open { _, call in
      guard call.attempt > 1 else { throw ScriptedError(text: "later") }
      return 0
    }
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger)) {
      _ = try await record(of: promise.id, in: ledger) { $0.work?.failureCount == 1 }
      guard case .cancelled = try await promise.cancelWork() else {
        Issue.record("not cancelled")
        return
      }
    }
  }

  @Test func anUndoingThatFailsForGoodRejectsThePromise() async throws {
    let error = ScriptedError(text: "no refund")
    let ledger = try await lab.open { _, call in
      try await call.step("charge") { _ in }
      do {
        try await call.sleep(for: .seconds(9))
      } catch is StepFailure {
        try await call.step("refund") { _ in throw Permanent(error) }
      }
      return 0
    }
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger)) {
      _ = try await record(of: promise.id, in: ledger) {
        if case .waiting(.firstOf)? = $0.work?.state { true } else { false }
      }
      try await promise.cancelWork()
      #expect(try await promise.outcome == .rejected(StoredError(error)))
    }
  }
}
