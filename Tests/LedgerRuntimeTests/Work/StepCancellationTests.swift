import PromiseLedger
import PromiseLedgerTestSupport
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

  /// While the commit of the child is on its way.
  @Test func codeThatStartsAChildLearnsOfTheCancellationInstead() async throws {
    let (tester, gate) = (LedgerTester(), FaultGate("the commit of the child"))
    var handlers = HandlerRegistry()
    try handlers.register(ScriptedWork.self) { [notes] in
      ScriptedWork.Script { _, call in
        try await call.step("charge") { _ in notes.add("charge") }
        try tester.plan([.delay(.append, until: gate)], for: tester.processes[0])
        do {
          try await call.start(ScriptedWork.self, ["name": "child"])
        } catch let failure as StepFailure {
          notes.add("\(failure.step)")
          throw failure
        }
        return 0
      }
    }
    let (worker, other) = (try await tester.open(handlers), try await tester.appExtension())
    let promise = try await worker.ledger.start(ScriptedWork())
    try await running(LedgerRunner(worker.ledger)) {
      try await gate.arrival()
      try await other.ledger.cancelWork(promise.id, reason: "no need")
      gate.open()
      #expect(try await promise.outcome == .cancelled(reason: "no need"))
    }
    #expect(notes.lines == ["charge", "scripted-work"])
    #expect(try await promise.record?.work?.attemptCount == 1)
    #expect(try await worker.ledger.openWork().isEmpty)
    await tester.close()
  }

  @Test func aCancellationThatIsCutShortIsCompletedByAnother() async throws {
    let tester = LedgerTester()
    var handlers = HandlerRegistry()
    try handlers.register(ScriptedWork.self) {
      ScriptedWork.Script { _, call in
        let time = call.ledger.now + .seconds(86_400)
        for number in 0..<300 {
          try await call.start(ScriptedWork.self, ["name": "child"], key: "\(number)", at: time)
        }
        throw ScriptedError(text: "not yet")
      }
    }
    let worker = try await tester.open(handlers)
    let promise = try await worker.ledger.start(ScriptedWork())
    try await tester.runDue(worker)
    // The work itself and 256 children are cancelled.
    try tester.plan([.fail(.append, number: 2, with: .diskFull)])
    let error = await #expect(throws: LedgerError.self) { try await promise.cancelWork() }
    #expect(error?.code == .diskFull)
    #expect(try await worker.ledger.openWork().count == 44)
    guard case .alreadyEnded = try await promise.cancelWork() else {
      Issue.record("not ended")
      return
    }
    #expect(try await worker.ledger.openWork().isEmpty)
    await tester.close()
  }

  /// More than one commit cancels, and none of them due.
  @Test func allWaitingChildrenAreCancelled() async throws {
    let ledger = try await lab.open { [clock] work, call in
      guard work.name == nil else { return 1 }
      let time = clock.now() + .seconds(86_400)
      for number in 0..<300 {
        try await call.start(ScriptedWork.self, ["name": "child"], key: "\(number)", at: time)
      }
      try await call.sleep(for: .seconds(3_600))
      return 0
    }
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger)) {
      _ = try await record(of: promise.id, in: ledger) { record in
        if case .running? = record.work?.state { return false }
        return record.work?.attemptCount == 1
      }
      try await promise.cancelWork(reason: "no need")
      #expect(try await promise.outcome == .cancelled(reason: "no need"))
      #expect(try await ledger.openWork().isEmpty)
    }
  }

  /// Then the next part of the code learns of it.
  @Test(arguments: [false, true])
  func aBodyThatIgnoresTheCancellationDoesNotLoseIt(waits: Bool) async throws {
    let gate = Gate()
    let hour = Duration.seconds(3_600)
    let end = clock.now() + hour
    let ledger = try await lab.open { [notes] _, call in
      try await call.step("charge") { _ in
        gate.open()
        try? await Task.sleep(for: hour)
        notes.add("charge")
      }
      if waits { try await call.sleep(until: end) }
      try await call.step("email") { _ in notes.add("email") }
      return 1
    }
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger)) {
      await gate.pass()
      try await promise.cancelWork()
      clock.advance(by: hour)
      #expect(try await promise.outcome == .cancelled(reason: ""))
    }
    #expect(notes.lines == ["charge"])
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

  @Test func allPartsThatWaitLearnOfTheCancellation() async throws {
    let ledger = try await lab.open { [notes] _, call in
      try await call.step("charge") { _ in }
      let first = try await call.promise("first", of: Int.self)
      let second = try await call.promise("second", of: Int.self)
      async let one = call.value(of: first)
      async let two = call.value(of: second)
      do {
        return try await one + two
      } catch let failure as StepFailure {
        notes.add("told \(failure.isCancellation)")
        throw failure
      }
    }
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger)) {
      _ = try await record(of: promise.id, in: ledger) {
        if case .waiting(.firstOf)? = $0.work?.state { true } else { false }
      }
      try await promise.cancelWork()
      #expect(try await promise.outcome == .cancelled(reason: ""))
    }
    #expect(notes.lines == ["told true"])
  }

  @Test func anotherProcessIsToldWhereTheCodeWaited() async throws {
    let code: WorkLedger.Code = { [notes] work, call in
      guard work.name == nil else { return 1 }
      let child = try await call.start(ScriptedWork.self, ["name": "child"])
      _ = try await call.value(of: child)
      try await call.step("charge") { _ in }
      // In every attempt, before the place where the code waited.
      await Task.yield()
      try Task.checkCancellation()
      do {
        try await call.sleep(for: .seconds(9))
      } catch let failure as StepFailure {
        try await call.step("refund") { _ in notes.add("refund") }
        throw failure
      }
      return 0
    }
    let first = try await lab.open(code)
    let promise = try await first.start(ScriptedWork())
    try await running(LedgerRunner(first)) {
      _ = try await record(of: promise.id, in: first) { record in
        guard case .waiting(.firstOf)? = record.work?.state else { return false }
        return record.work?.steps.contains("sleep") ?? false
      }
    }
    await first.close()
    let second = try await lab.open(code)
    let found = try second.promise(id: promise.id, of: Int.self)
    try await found.cancelWork()
    let outcome = try await running(LedgerRunner(second)) { try await found.outcome }
    #expect(outcome == .cancelled(reason: ""))
    #expect(notes.lines == ["refund"])
  }

  @Test func aStepThatUndoesAFailureIsNotCancelled() async throws {
    let gate = Gate()
    let ledger = try await lab.open { [notes] _, call in
      try await call.step("charge") { _ in }
      do {
        try await call.step("ship") { _ in throw Permanent(ScriptedError(text: "sold out")) }
      } catch let failure as StepFailure {
        try await call.step("refund", ignoringCancellation: true) { _ in
          await gate.pass()
          notes.add("refund \(Task.isCancelled)")
        }
        throw failure
      }
      return 0
    }
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger)) {
      await gate.arrival()
      try await promise.cancelWork()
      _ = try await ledger.catchUp()
      gate.open()
      // The next attempt had the opportunity to learn of the request.
      #expect(try await promise.outcome == .cancelled(reason: ""))
    }
    #expect(notes.lines == ["refund false"])
  }

  @Test func codeThatFailsWithoutAskingIsCancelled() async throws {
    let ledger = try await lab.open { _, call in
      try await call.step("charge") { _ in }
      throw ScriptedError(text: "broken")
    }
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger)) {
      _ = try await record(of: promise.id, in: ledger) { $0.work?.failureCount == 1 }
      try await promise.cancelWork()
      #expect(try await promise.outcome == .cancelled(reason: ""))
    }
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

/// The cancellation of work that waits for work that it started.
@Suite(.timeLimit(.minutes(5)))
struct ChildCancellationTests {
  private let notes = Notes()
  private let lab: WorkLedger

  init() throws {
    lab = try WorkLedger()
  }

  /// Work that starts a child, waits for it, and undoes what it did if it is told to.
  private func open(child: @escaping @Sendable () async throws -> Void) async throws -> Ledger {
    try await lab.open { [notes] work, call in
      if let name = work.name {
        guard name == "child" else {
          notes.add(name)
          return 0
        }
        try await child()
        return 1
      }
      do {
        let child = try await call.start(ScriptedWork.self, ["name": "child"])
        return try await call.value(of: child)
      } catch let failure as StepFailure {
        let undo = try await call.start(ScriptedWork.self, ["name": "undo"], key: "undo")
        _ = try await call.value(of: undo)
        throw failure
      }
    }
  }

  @Test func workThatWaitsForItsChildIsToldOfItsOwnCancellation() async throws {
    let gate = Gate()
    let ledger = try await open { [notes] in
      gate.open()
      do {
        try await Task.sleep(for: .seconds(3_600))
      } catch {
        notes.add("child cancelled")
        throw error
      }
    }
    let promise = try await ledger.start(ScriptedWork())
    try await running(LedgerRunner(ledger)) {
      await gate.pass()
      try await promise.cancelWork(reason: "no need")
      #expect(try await promise.outcome == .cancelled(reason: "no need"))
    }
    #expect(Set(notes.lines) == ["child cancelled", "undo"])
    #expect(try await ledger.openWork().isEmpty)
  }

  @Test func aChildThatWasNotStartedIsCancelledTogetherWithItsParent() async throws {
    let ledger = try await lab.open { [notes] _, call in
      do {
        // No session knows its kind.
        let child = try await call.start(OtherWork.self, key: "child")
        return try await call.value(of: child).utf8.count
      } catch let failure as StepFailure {
        notes.add("told")
        throw failure
      }
    }
    let promise = try await ledger.start(ScriptedWork())
    let key = try PromiseKey("\(promise.id)/\(OtherWork.kind)/=child")
    try await running(LedgerRunner(ledger)) {
      _ = try await record(of: promise.id, in: ledger) {
        if case .waiting(.firstOf)? = $0.work?.state { true } else { false }
      }
      try await promise.cancelWork(reason: "no need")
      #expect(try await promise.outcome == .cancelled(reason: "no need"))
    }
    let child = try ledger.promise(id: key.promiseID, of: String.self)
    #expect(try await child.outcome == .cancelled(reason: "no need"))
    #expect(notes.lines == ["told"])
  }
}
