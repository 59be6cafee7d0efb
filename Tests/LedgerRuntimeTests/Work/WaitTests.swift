import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Waits of work that need no process.
@Suite(.timeLimit(.minutes(5)))
struct WaitTests {
  private static let hour = Duration.seconds(3_600)

  private let clock = ManualLedgerClock()
  private let notes = Notes()
  private let lab: WorkLedger

  init() throws {
    lab = try WorkLedger(clock: clock)
  }

  /// Waits until work waits as expected, and returns its condition.
  private func condition(
    of promise: DurablePromise<Int>, in ledger: Ledger,
    where isExpected: (WorkCondition) -> Bool = { _ in true }
  ) async throws -> WorkCondition {
    let record = try await record(of: promise.id, in: ledger) {
      if case .waiting(.firstOf(let condition))? = $0.work?.state {
        isExpected(condition)
      } else {
        false
      }
    }
    guard case .waiting(.firstOf(let condition))? = record.work?.state else {
      throw LedgerError(.notFound, "The work does not wait.")
    }
    return condition
  }

  // MARK: Times

  @Test func aPauseGivesTheWorkBackAndTheCodeGoesOnInMemory() async throws {
    let start = clock.now()
    let ledger = try await lab.open { [notes] _, call in
      notes.add("begin")
      try await call.sleep(for: Self.hour)
      notes.add("end")
      return 2
    }
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger)) {
      let time = try await condition(of: promise, in: ledger).time
      #expect(time.map { $0 - start } == Self.hour)
      clock.advance(by: Self.hour)
      #expect(try await promise.outcome == .fulfilled(2))
    }
    #expect(notes.lines == ["begin", "end"])
    #expect(try await promise.record?.work?.attemptCount == 2)
  }

  @Test func anotherProcessGoesOnFromTheTop() async throws {
    let first = try await lab.open { _, call in
      try await call.step("a") { _ in }
      try await call.sleep(for: Self.hour)
      return 1
    }
    let promise = try await first.start(ScriptedWork())
    try await running(LedgerRunner(first)) { _ = try await condition(of: promise, in: first) }
    await first.close()
    clock.advance(by: Self.hour)
    let second = try await lab.open { [notes] _, call in
      try await call.step("a") { _ in notes.add("a again") }
      // The pause was counted from the first attempt.
      try await call.sleep(for: Self.hour)
      return 2
    }
    let found = try second.promise(id: promise.id, of: Int.self)
    #expect(try await running(LedgerRunner(second)) { try await found.outcome } == .fulfilled(2))
    #expect(notes.lines.isEmpty)
  }

  @Test func aShortPauseStaysInPlace() async throws {
    let ledger = try await lab.open { _, call in
      try await call.sleep(for: .milliseconds(900))
      return call.attempt
    }
    let promise = try await ledger.start(ScriptedWork())
    let clock = clock
    let moving = Task {
      while !Task.isCancelled {
        clock.advance(by: .milliseconds(100))
        await Task.yield()
      }
    }
    defer { moving.cancel() }
    #expect(try await running(LedgerRunner(ledger)) { try await promise.outcome } == .fulfilled(1))
  }

  @Test func aRetryOfAStepNeedsNoProcessMeanwhile() async throws {
    let policy = try WorkRetryPolicy(firstDelay: Self.hour, longestDelay: Self.hour)
    let ledger = try await lab.open { [notes] _, call in
      try await call.step("flaky", retrying: policy) { step in
        notes.add("\(step.attempt)")
        guard step.attempt == 3 else { throw ScriptedError(text: "broken") }
      }
      return call.attempt
    }
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger)) {
      for count in 1...2 {
        let record = try await record(of: promise.id, in: ledger) {
          $0.work?.retriedSteps == ["flaky": count]
        }
        #expect(record.work?.lastError?.domain == "ScriptedError")
        clock.advance(by: Self.hour)
      }
      #expect(try await promise.outcome == .fulfilled(3))
    }
    #expect(notes.lines == ["1", "2", "3"])
  }

  /// Whatever lets one part of the code go on lets all of it look.
  @Test func aRetryOfAStepWaitsForItsTimeThoughOtherPartsGoOn() async throws {
    let policy = try WorkRetryPolicy(firstDelay: Self.hour, longestDelay: Self.hour)
    let ledger = try await lab.open { [notes] work, call in
      let awaited = try #require(work.promise)
      async let flaky: Void = call.step("flaky", retrying: policy) { step in
        notes.add("\(step.attempt)")
        guard step.attempt == 2 else { throw ScriptedError(text: "broken") }
      }
      let value = try await call.value(of: awaited)
      try await call.step("seen") { _ in notes.add("seen") }
      try await flaky
      return value
    }
    let awaited = try await ledger.createPromise(of: Int.self)
    let promise = try await ledger.start(ScriptedWork(promise: awaited))
    try await running(LedgerRunner(ledger)) {
      _ = try await condition(of: promise, in: ledger) {
        $0.time != nil && $0.promises == [awaited.id]
      }
      try await awaited.fulfill(5)
      let record = try await record(of: promise.id, in: ledger) { record in
        guard case .waiting(.firstOf(let condition))? = record.work?.state else {
          return record.status != .pending
        }
        return condition.promises.isEmpty
      }
      #expect(notes.lines == ["1", "seen"])
      #expect(record.work?.retriedSteps == ["flaky": 1])
      clock.advance(by: Self.hour)
      #expect(try await promise.outcome == .fulfilled(5))
    }
    #expect(notes.lines == ["1", "seen", "2"])
  }

  // MARK: Promises

  @Test func workWaitsForTheValueOfAPromise() async throws {
    let ledger = try await lab.open { work, call in
      try await call.value(of: try #require(work.promise)) + 2
    }
    let awaited = try await ledger.createPromise(of: Int.self)
    let promise = try await ledger.start(ScriptedWork(promise: awaited))
    try await running(LedgerRunner(ledger)) {
      #expect(try await condition(of: promise, in: ledger).promises == [awaited.id])
      try await awaited.fulfill(40)
      #expect(try await promise.outcome == .fulfilled(42))
    }
    // It was read, not consumed.
    #expect(try await awaited.consume() == 40)
  }

  @Test func aSettledPromiseIsNotWaitedFor() async throws {
    let ledger = try await lab.open { work, call in
      try await call.value(of: try #require(work.promise)) + call.attempt
    }
    let awaited = try await ledger.createPromise(of: Int.self)
    try await awaited.fulfill(40)
    let promise = try await ledger.start(ScriptedWork(promise: awaited))
    #expect(
      try await running(LedgerRunner(ledger)) { try await promise.outcome } == .fulfilled(41))
  }

  @Test func theFailureOfAPromiseEndsTheWork() async throws {
    let ledger = try await lab.open { work, call in
      try await call.value(of: try #require(work.promise))
    }
    let awaited = try await ledger.createPromise(of: Int.self)
    let promise = try await ledger.start(ScriptedWork(promise: awaited))
    let error = ScriptedError(text: "no")
    try await running(LedgerRunner(ledger)) {
      _ = try await condition(of: promise, in: ledger)
      try await awaited.reject(error)
      #expect(try await promise.outcome == .rejected(StoredError(error)))
    }
  }

  @Test func theFirstOfSeveralWaitsGoesOn() async throws {
    let ledger = try await lab.open { work, call in
      let awaited = try #require(work.promise)
      return try await withThrowingTaskGroup(of: Int.self) { group in
        group.addTask { try await call.value(of: awaited) }
        group.addTask {
          try await call.sleep(for: Self.hour)
          return -1
        }
        defer { group.cancelAll() }
        return try await group.next() ?? 0
      }
    }
    for isInTime in [true, false] {
      let awaited = try await ledger.createPromise(of: Int.self)
      let promise = try await ledger.start(ScriptedWork(promise: awaited))
      try await running(LedgerRunner(ledger)) {
        _ = try await condition(of: promise, in: ledger) {
          $0.promises == [awaited.id] && $0.time != nil
        }
        if isInTime { try await awaited.fulfill(1) } else { clock.advance(by: Self.hour) }
        #expect(try await promise.outcome == .fulfilled(isInTime ? 1 : -1))
      }
    }
  }

  @Test func workIsKeptWhileAnotherPartOfItsCodeRunsAStep() async throws {
    let gate = Gate()
    let ledger = try await lab.open { work, call in
      let awaited = try #require(work.promise)
      async let value = call.value(of: awaited)
      try await call.step("long") { _ in await gate.pass() }
      return try await value + 20
    }
    let awaited = try await ledger.createPromise(of: Int.self)
    let promise = try await ledger.start(ScriptedWork(promise: awaited))
    try await running(LedgerRunner(ledger)) {
      await gate.arrival()
      #expect(try await promise.record?.work?.state == .running(in: ledger.session))
      gate.open()
      _ = try await condition(of: promise, in: ledger)
      try await awaited.fulfill(1)
      #expect(try await promise.outcome == .fulfilled(21))
    }
  }

  @Test func anOutcomeCountsIfItCameInTime() async throws {
    for (delay, expected) in [(Duration.seconds(60), 1), (.seconds(2 * 3_600), -1)] {
      let ledger = try await lab.open { [notes] work, call in
        let limit = call.startedAt + Self.hour
        let outcome = try await call.outcome(of: try #require(work.promise), until: limit)
        notes.add("\(call.attempt)")
        // Once more, from the top: the same result, although the promise is settled by now.
        guard call.attempt >= 3 else { throw ScriptedError(text: "again") }
        return try outcome?.get() ?? -1
      }
      let awaited = try await ledger.createPromise(of: Int.self)
      let policy = try WorkRetryPolicy(firstDelay: .zero, longestDelay: .zero)
      let promise = try await ledger.start(
        ScriptedWork(promise: awaited), options: WorkOptions(retryPolicy: policy))
      try await running(LedgerRunner(ledger)) {
        _ = try await condition(of: promise, in: ledger)
        clock.advance(by: delay)
        try await awaited.fulfill(1)
        #expect(try await promise.outcome == .fulfilled(expected))
      }
      await ledger.close()
    }
  }

  @Test func workCannotWaitForItself() async throws {
    let ledger = try await lab.open { _, call in
      try await call.value(of: try call.ledger.promise(id: call.promise, of: Int.self))
    }
    let policy = try WorkRetryPolicy(failureLimit: 1)
    let outcome = try await running(LedgerRunner(ledger)) {
      try await ledger.start(ScriptedWork(), options: WorkOptions(retryPolicy: policy)).outcome
    }
    guard case .rejected(let error) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(error.message.contains("waits for its own promise"))
  }

  @Test func aShortWaitBesideALongOneDoesNotKeepTheProcess() async throws {
    let ledger = try await lab.open { work, call in
      async let long = call.value(of: try #require(work.promise))
      try await call.sleep(until: call.startedAt + .milliseconds(500))
      return try await long
    }
    let awaited = try await ledger.createPromise(of: Int.self)
    let promise = try await ledger.start(ScriptedWork(promise: awaited))
    try await running(LedgerRunner(ledger)) {
      _ = try await record(of: promise.id, in: ledger) { ($0.work?.attemptCount ?? 0) == 1 }
      clock.advance(by: .milliseconds(500))
      _ = try await condition(of: promise, in: ledger) { $0.time == nil }
      try await awaited.fulfill(3)
      #expect(try await promise.outcome == .fulfilled(3))
    }
  }

  @Test func workMayWaitForMorePromisesThanFitIntoACondition() async throws {
    let count = 80
    let ledger = try await lab.open { _, call in
      var signals: [DurablePromise<Int>] = []
      for index in 0..<count {
        signals.append(try await call.promise("signal", key: "\(index)", of: Int.self))
      }
      return try await withThrowingTaskGroup(of: Int.self) { group in
        for signal in signals { group.addTask { try await call.value(of: signal) } }
        return try await group.reduce(0, +)
      }
    }
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger)) {
      let condition = try await condition(of: promise, in: ledger) { $0.promises.count == 64 }
      #expect(condition.time != nil)
      for index in 0..<count {
        let key = try PromiseKey("\(promise.id)/signal/=\(index)")
        try await ledger.promise(id: key.promiseID, of: Int.self).fulfill(1)
      }
      clock.advance(by: Self.hour)
      #expect(try await promise.outcome == .fulfilled(count))
    }
  }

  // MARK: Children and signals

  @Test func eachAttemptFindsItsChildrenAndSignals() async throws {
    let ledger = try await lab.open { [notes] work, call in
      guard work.name == nil else { return 7 }
      let child = try await call.start(ScriptedWork.self, ["name": "child"])
      let answer = try await call.promise("answer", of: Int.self, label: "The answer")
      notes.add("\(child.id) \(answer.id)")
      guard call.attempt > 1 else { throw ScriptedError(text: "again") }
      return try await call.value(of: child) + call.value(of: answer)
    }
    let policy = try WorkRetryPolicy(firstDelay: .zero, longestDelay: .zero)
    let promise = try await ledger.start(
      ScriptedWork(), options: WorkOptions(retryPolicy: policy))
    let key = try PromiseKey("\(promise.id)/answer/#1")
    try await running(LedgerRunner(ledger)) {
      _ = try await record(of: promise.id, in: ledger) { ($0.work?.attemptCount ?? 0) > 1 }
      let answer = try ledger.promise(id: key.promiseID, of: Int.self)
      try await answer.fulfill(30)
      #expect(try await promise.outcome == .fulfilled(37))
    }
    #expect(Set(notes.lines).count == 1)
  }

  // MARK: Losing the work

  @Test func codeThatWaitsEndsWithItsRunner() async throws {
    let gate = Gate()
    let ledger = try await lab.open { [notes] _, call in
      do {
        try await call.sleep(for: Self.hour)
      } catch {
        notes.add("\(error)")
        // It has nothing to record any more.
        _ = try? await call.step("late") { _ in notes.add("body") }
        gate.open()
        throw error
      }
      return 0
    }
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger)) { _ = try await condition(of: promise, in: ledger) }
    await gate.pass()
    #expect(notes.lines == ["WorkSuspended()"])
    let work = try await promise.record?.work
    #expect(work?.steps == ["sleep"] && work?.failureCount == 0 && work?.attemptCount == 1)
  }

  @Test func codeIsTakenUpThatGoesOnAfterItsWorkWasGivenBack() async throws {
    let gate = Gate()
    let ledger = try await lab.open { work, call in
      let awaited = try #require(work.promise)
      async let value = call.value(of: awaited)
      // The ledger does not know of this part of the code.
      await gate.pass()
      try await call.step("late") { _ in }
      return try await value
    }
    let awaited = try await ledger.createPromise(of: Int.self)
    let promise = try await ledger.start(ScriptedWork(promise: awaited))
    try await running(LedgerRunner(ledger)) {
      _ = try await condition(of: promise, in: ledger)
      gate.open()
      _ = try await record(of: promise.id, in: ledger) { $0.work?.steps == ["late"] }
      try await awaited.fulfill(9)
      #expect(try await promise.outcome == .fulfilled(9))
    }
  }

  /// The runner has begun to start the next attempt when the code ends, and the ledger does not know yet.
  @Test(arguments: [true, false])
  func codeThatEndsWhileItsWorkIsClaimedIsNotRunAgain(returns: Bool) async throws {
    let store = WatchedStore()
    let gate = Gate()
    let firstFlow = Mutex<WorkFlow?>(nil)
    let ledger = try await openWork(on: store, clock: clock) { [notes] _, call in
      notes.add("begin")
      firstFlow.withLock { $0 = $0 ?? call.subject.flow }
      async let _ = call.sleep(for: Self.hour)
      // The ledger does not know of this part of the code.
      await gate.pass()
      guard returns else { throw Permanent(ScriptedError(text: "no")) }
      return 2
    }
    let promise = try await ledger.start(ScriptedWork())
    let outcome = try await running(LedgerRunner(ledger)) {
      _ = try await condition(of: promise, in: ledger)
      store.onAppend = {
        gate.open()
        let flow = firstFlow.withLock { $0 }
        while let flow, !flow.contents.withLock({ $0.hasComeBack }) {}
      }
      clock.advance(by: Self.hour)
      return try await promise.outcome
    }
    #expect(outcome.kind == (returns ? .fulfilled : .rejected))
    #expect(notes.lines == ["begin"])
    #expect(try await promise.record?.work?.attemptCount == 2)
  }

  @Test func twoStepsThatRunWhileTheirSessionIsFrozenAreKept() async throws {
    let gates = [Gate(), Gate()]
    let ledger = try await lab.open { [notes] _, call in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (index, gate) in gates.enumerated() {
          group.addTask {
            try await call.step("long", key: "\(index)") { _ in
              notes.add("body \(index)")
              await gate.pass()
            }
          }
        }
        try await group.waitForAll()
      }
      return 1
    }
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger)) {
      for gate in gates { await gate.arrival() }
      try await ledger.freeze()
      for gate in gates { gate.open() }
      try await ledger.unfreeze()
      #expect(try await promise.outcome == .fulfilled(1))
    }
    #expect(notes.lines.count == 2)
  }

  @Test func aStepThatRunsWhileItsSessionIsFrozenIsKept() async throws {
    let gate = Gate()
    let ledger = try await lab.open { [notes] _, call in
      try await call.step("long") { _ in
        notes.add("body")
        await gate.pass()
      }
      return call.attempt
    }
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger)) {
      await gate.arrival()
      try await ledger.freeze()
      gate.open()
      try await ledger.unfreeze()
      #expect(try await promise.outcome == .fulfilled(2))
    }
    #expect(notes.lines == ["body"])
  }
}

extension WorkFlow.Contents {
  /// Whether the code has ended, or wants to have its work back.
  fileprivate var hasComeBack: Bool { phase == .ended || !phaseWaiters.isEmpty }
}
