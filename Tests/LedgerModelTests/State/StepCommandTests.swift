import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// Steps that are kept, and attempts that are given back because their code waits.
@Suite(.timeLimit(.minutes(10))) struct StepCommandTests {
  private static let step = StepIdentity("step")

  private func finish(
    _ step: StepIdentity = Self.step,
    _ result: FinishStep.Result = .returned(typeTag: "int", bytes: [7]), attempt: UInt32 = 1,
    failureCount: UInt32 = 0, effects: [HandlerEffect] = [], as session: Int = 1,
    in ledger: WorkLedger
  ) throws -> String {
    let command = FinishStep(
      id: .numbered(1), attempt: attempt, step: step, result: result, failureCount: failureCount,
      startedAt: ledger.context.now, effects: RequestedEffects(effects))
    return try ledger.commit(command, as: session).text
  }

  private func suspend(
    _ condition: WorkCondition, attempt: UInt32 = 1,
    failures: [WorkReleased.StepFailures] = [], in ledger: WorkLedger
  ) throws -> String {
    let command = SuspendWork(
      id: .numbered(1), attempt: attempt, until: condition,
      stepFailures: failures, error: failures.isEmpty ? nil : .sample)
    return try ledger.commit(command).text
  }

  /// A ledger with work that runs its first attempt.
  private func running(
    _ form: WorkLedger.Form, _ options: WorkOptions = WorkOptions()
  ) throws -> WorkLedger {
    let ledger = try WorkLedger(form)
    try ledger.create(1, options: options)
    #expect(try ledger.claim(1) == ["started 1"])
    return ledger
  }

  private func steps(in ledger: WorkLedger) throws -> [String] {
    try ledger.promise(1).progress?.steps.map(\.identity.description) ?? []
  }

  // MARK: Steps

  @Test(arguments: WorkLedger.Form.allCases)
  func aStepIsKeptOnceWithItsEffects(form: WorkLedger.Form) throws {
    let ledger = try running(form)
    try ledger.createPromise(2)
    let effects = [HandlerEffect(.resolvePromise(ResolvePromise(.numbered(2))))]
    #expect(try finish(effects: effects, in: ledger) == "finished step in 1")
    #expect(try ledger.newestEvents().map(\.kind) == [.promiseResolved, .workStepFinished])
    let start = try #require(try ledger.promise(1).progress?.start?.position)
    #expect(try ledger.newestEvents().allSatisfy { $0.cause == start })
    let position = ledger.position
    // As after an unknown outcome of the commit: nothing is written, and the first result counts.
    let again = FinishStep.Result.returned(typeTag: "int", bytes: [8])
    #expect(try finish(Self.step, again, effects: effects, in: ledger) == "finished step in 1")
    #expect(ledger.position == position)
    let kept = try #require(try ledger.promise(1).progress?.step(Self.step)?.finished())
    let (verdicts, value) = try PromiseResolved.outcome(ofAttempt: kept.content ?? [])
    #expect(verdicts.map(\.verdict) == [.done] && value == [7])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func stepsWithOneNameDifferByKeyAndNumber(form: WorkLedger.Form) throws {
    let ledger = try running(form)
    let identities = [
      StepIdentity("s"), StepIdentity("s", .occurrence(2)), StepIdentity("s", .key("1")),
      StepIdentity("s", .key("2")), StepIdentity("t"),
    ]
    for identity in identities { _ = try finish(identity, in: ledger) }
    #expect(try steps(in: ledger) == ["s", "s#2", "s[1]", "s[2]", "t"])
    #expect(Set(identities.map { $0.idempotencyKey(of: .numbered(1)) }).count == 5)
    #expect(
      identities[0].idempotencyKey(of: .numbered(1))
        != identities[0].idempotencyKey(of: .numbered(2)))
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func onlyTheNewestAttemptKeepsSteps(form: WorkLedger.Form) throws {
    let ledger = try running(form)
    #expect(try finish(attempt: 2, in: ledger) == "superseded")
    #expect(try finish(as: 2, in: ledger) == "superseded")
    try ledger.commit(ReleaseWork(id: .numbered(1), attempt: 1, reason: .cancelled))
    #expect(try finish(in: ledger) == "superseded")
    try ledger.claim(1, as: 2)
    #expect(try finish(in: ledger) == "superseded")
    #expect(try finish(attempt: 2, as: 2, in: ledger) == "finished step in 2")
    try ledger.finish(1, as: 2)
    #expect(try finish(StepIdentity("late"), attempt: 2, as: 2, in: ledger) == "superseded")
    #expect(try steps(in: ledger) == [])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aStepTakesUpWorkThatWasGivenBackByAFreezeOrAWait(form: WorkLedger.Form) throws {
    let ledger = try running(form)
    try ledger.commit(FreezeSession())
    try ledger.commit(UnfreezeSession(processID: 1))
    #expect(try finish(in: ledger) == "finished step in 2")
    let condition = WorkCondition(time: .second(9_000))
    #expect(try suspend(condition, attempt: 2, in: ledger) == "suspended 2")
    #expect(try finish(StepIdentity("late"), attempt: 2, in: ledger) == "finished late in 3")
    // But not for another attempt, or once an operator has parked it.
    #expect(try suspend(condition, attempt: 3, in: ledger) == "suspended 3")
    try ledger.commit(AmendWork(id: .numbered(1), WorkAmended(parking: .parked)))
    #expect(try finish(StepIdentity("later"), attempt: 3, in: ledger) == "superseded")
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aBodyWhoseRequiredEffectIsRefusedIsNotKept(form: WorkLedger.Form) throws {
    let ledger = try running(form)
    try ledger.createPromise(2)
    let effects = [
      HandlerEffect(.resolvePromise(ResolvePromise(.numbered(2)))),
      HandlerEffect(.resolvePromise(ResolvePromise(.numbered(404))), isRequired: true),
    ]
    let position = ledger.position
    #expect(try finish(effects: effects, in: ledger) == "refused")
    #expect(ledger.position == position)
  }

  @Test func workHasAMaximumNumberOfSteps() throws {
    let ledger = try running(.inMemory)
    for number in 1...UInt32(WorkStep.maximumCount) {
      _ = try finish(StepIdentity("s", .occurrence(number)), in: ledger)
    }
    #expect(try finish(StepIdentity("one more"), in: ledger) == "limit reached invalidArgument")
    let condition = WorkCondition(time: .second(9_000))
    // The work can still wait, and end.
    #expect(try suspend(condition, in: ledger) == "suspended 1")
    #expect(try ledger.finish(1) == "fulfilled")
  }

  /// So that it can undo what it did.
  @Test(arguments: [true, false])
  func workThatIsCancelledOrWhoseStepFailedMayKeepMoreSteps(isCancelled: Bool) throws {
    let ledger = try running(.inMemory)
    for number in 1...UInt32(WorkStep.maximumCount) {
      _ = try finish(StepIdentity("s", .occurrence(number)), in: ledger)
    }
    #expect(try finish(StepIdentity("one more"), in: ledger) == "limit reached invalidArgument")
    if isCancelled { try ledger.commit(CancelWork(id: .numbered(1), reason: "no need")) }
    let last = StepIdentity("last")
    #expect(
      try finish(last, isCancelled ? .cancelled : .failed(.sample), in: ledger)
        == "finished last in 1")
    for number in 2...UInt32(WorkStep.reservedCount) {
      #expect(
        try finish(StepIdentity("undo", .occurrence(number)), in: ledger).hasPrefix("finished"))
    }
    #expect(try finish(StepIdentity("too many"), in: ledger) == "limit reached invalidArgument")
  }

  @Test func stepsHaveAMaximumSize() throws {
    let ledger = try running(.inMemory)
    let large = FinishStep.Result.returned(
      typeTag: "bytes", bytes: [UInt8](repeating: 1, count: 16 << 20))
    for number in 1...3 {
      #expect(
        try finish(StepIdentity("large", .key("\(number)")), large, in: ledger)
          .hasPrefix("finished"))
    }
    #expect(
      try finish(StepIdentity("too large"), large, in: ledger) == "limit reached payloadTooLarge")
    #expect(try finish(in: ledger) == "finished step in 1")
    // A failure, and what undoes it, may be larger.
    #expect(try finish(StepIdentity("failed"), .failed(.sample), in: ledger).hasPrefix("finished"))
    #expect(try finish(StepIdentity("undo"), large, in: ledger).hasPrefix("finished"))
    #expect(
      try finish(StepIdentity("too large"), large, in: ledger) == "limit reached payloadTooLarge")
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func theRecordOwnsLargeResultsUntilThePromiseIsSettled(form: WorkLedger.Form) throws {
    let ledger = try running(form)
    let large = FinishStep.Result.returned(
      typeTag: "bytes", bytes: [UInt8](repeating: 1, count: 9_000))
    _ = try finish(Self.step, large, in: ledger)
    let position = ledger.position
    #expect(
      LedgerEntity.promise(try ledger.promise(1)).attachments.map(\.position) == [position])
    #expect(try ledger.store.attachments([.init(position: position, byteCount: 9_004)]).count == 1)
    try ledger.finish(1)
    #expect(LedgerEntity.promise(try ledger.promise(1)).attachments.isEmpty)
  }

  // MARK: Failures and deaths

  @Test(arguments: WorkLedger.Form.allCases)
  func failuresOfAStepAreCountedOverAttempts(form: WorkLedger.Form) throws {
    let ledger = try running(form)
    let failures = [WorkReleased.StepFailures(Self.step, count: 2)]
    for attempt in UInt32(1)...2 {
      let time = ledger.context.now + .seconds(10)
      #expect(
        try suspend(WorkCondition(time: time), attempt: attempt, failures: failures, in: ledger)
          == "suspended \(attempt)")
      ledger.context.now = time
      #expect(try ledger.claim(1) == ["started \(attempt + 1)"])
    }
    #expect(try ledger.promise(1).progress?.failureCount(of: Self.step) == 4)
    // They are no failures of the code around it.
    #expect(try ledger.promise(1).progress?.failureCount == 0)
    _ = try finish(Self.step, .failed(.sample), attempt: 3, failureCount: 1, in: ledger)
    #expect(try ledger.promise(1).progress?.failureCount(of: Self.step) == 0)
    #expect(try ledger.promise(1).progress?.step(Self.step)?.finished().failureCount == 5)
  }

  /// As after an unknown outcome of the commit.
  @Test(arguments: WorkLedger.Form.allCases)
  func aRepeatedSuspensionChangesNothing(form: WorkLedger.Form) throws {
    let ledger = try running(form)
    let condition = WorkCondition(time: .second(9_000))
    let failures = [WorkReleased.StepFailures(Self.step, count: 2)]
    #expect(try suspend(condition, failures: failures, in: ledger) == "suspended 1")
    let position = ledger.position
    #expect(try suspend(condition, failures: failures, in: ledger) == "suspended 1")
    #expect(ledger.position == position)
    #expect(try ledger.promise(1).progress?.failureCount(of: Self.step) == 2)
    // The code went on in memory, and waits for something else.
    let other = WorkCondition(time: .second(9_001))
    #expect(try suspend(other, failures: failures, in: ledger) == "suspended 2")
    try ledger.commit(AbandonPromise(id: .numbered(1), reason: "gone"))
    #expect(try suspend(other, attempt: 2, failures: failures, in: ledger) == "superseded")
  }

  /// The end of a step says itself how often it failed.
  @Test(arguments: WorkLedger.Form.allCases)
  func failuresOfAFinishedStepAreNotReported(form: WorkLedger.Form) throws {
    let ledger = try running(form)
    _ = try finish(in: ledger)
    let other = WorkReleased.StepFailures(StepIdentity("other"), count: 1)
    let failures = [WorkReleased.StepFailures(Self.step, count: 2), other]
    let condition = WorkCondition(time: .second(9_000))
    #expect(try suspend(condition, failures: failures, in: ledger) == "suspended 1")
    let progress = try #require(try ledger.promise(1).progress)
    #expect(progress.stepFailures == [other] && progress.release?.event.stepFailures == [other])
    // As after an unknown outcome of the commit.
    let position = ledger.position
    #expect(try suspend(condition, failures: failures, in: ledger) == "suspended 1")
    #expect(ledger.position == position)
  }

  @Test func failuresOfAFinishedStepInAnEventBlockThePromise() throws {
    for isFinished in [true, false] {
      let ledger = try running(.inMemory)
      if isFinished { _ = try finish(in: ledger) }
      let released = WorkReleased(
        attempt: 1, reason: .waiting, condition: WorkCondition(time: .second(9_000)),
        stepFailures: [WorkReleased.StepFailures(Self.step, count: 1)])
      try ledger.append([
        .of(released, on: PromiseID.numbered(1).entityID, at: .second(1_000))
      ])
      #expect((ledger.state.blocked[PromiseID.numbered(1).entityID] != nil) == isFinished)
    }
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aStepThatEndsShowsThatTheCodeComesFurther(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    for attempt in UInt32(1)...4 {
      #expect(try ledger.claim(1) == ["started \(attempt)"])
      if attempt == 2 {
        _ = try finish(attempt: attempt, in: ledger)
        #expect(try ledger.promise(1).progress?.deathCount == 0)
      }
      try ledger.commit(ReleaseWork(id: .numbered(1), attempt: attempt, reason: .died))
    }
    #expect(try ledger.promise(1).progress?.deathCount == 3)
    #expect(try ledger.promise(1).workPlace?.isParked == true)
  }

  // MARK: Waits

  @Test(arguments: WorkLedger.Form.allCases)
  func waitingWorkIsDueAtTheTimeOrAfterAPromise(form: WorkLedger.Form) throws {
    for isByTime in [true, false] {
      let ledger = try running(form)
      try ledger.createPromise(2)
      try ledger.createPromise(3)
      let time = ledger.context.now + .seconds(100)
      let condition = WorkCondition(time: time, promises: [.numbered(2), .numbered(3)])
      #expect(try suspend(condition, in: ledger) == "suspended 1")
      #expect(try ledger.claim(1, as: 2) == ["not due"])
      if isByTime { ledger.context.now = time } else { try ledger.resolve(3, .rejected) }
      #expect(try ledger.claim(1, as: 2) == ["started 2"])
    }
  }

  @Test func theLargestSuspensionFitsIntoOneEvent() throws {
    let ledger = try running(.folded)
    let numbers = 2...(2 * WorkCondition.maximumPromiseCount)
    try ledger.commit(together: numbers.map { CreatePromise(.numbered($0)) })
    let ids = numbers.map(PromiseID.numbered)
    let name = String(repeating: "n", count: 128)
    let error = StoredError(
      domain: String(repeating: "d", count: 256), code: 1,
      message: String(repeating: "m", count: 9_000))
    let awaited = Array(ids.prefix(WorkCondition.maximumPromiseCount))
    let command = SuspendWork(
      id: .numbered(1), attempt: 1,
      until: WorkCondition(
        time: .second(9_000), promises: ids.suffix(WorkCondition.maximumPromiseCount)),
      awaited: awaited,
      stepFailures: (1...20).map { .init(StepIdentity(name, .key("\($0)" + name)), count: 1) },
      error: error)
    #expect(try ledger.commit(command).text == "suspended 1")
    // Promises of the condition come first. The code names the others again.
    #expect(
      try ledger.promise(1).progress?.awaited
        == ids.suffix(WorkCondition.maximumPromiseCount))
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aConditionThatIsMetIsNoReasonToWait(form: WorkLedger.Form) throws {
    let ledger = try running(form)
    try ledger.createPromise(2)
    try ledger.resolve(2)
    let position = ledger.position
    #expect(try suspend(WorkCondition(promises: [.numbered(2)]), in: ledger) == "due 1")
    #expect(try suspend(WorkCondition(time: ledger.context.now), in: ledger) == "due 1")
    #expect(ledger.position == position)
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func waitingWorkKeepsItsPlaceInItsLane(form: WorkLedger.Form) throws {
    let ledger = try running(form, .lane(width: 1))
    try ledger.create(2, options: .lane(width: 1))
    let condition = WorkCondition(time: ledger.context.now + .seconds(100))
    #expect(try suspend(condition, in: ledger) == "suspended 1")
    #expect(try ledger.claim(2) == ["lane full"])
  }

  // MARK: Cancellation

  @Test(arguments: WorkLedger.Form.allCases)
  func codeThatFinishedStepsLearnsOfACancellation(form: WorkLedger.Form) throws {
    let ledger = try running(form)
    _ = try finish(in: ledger)
    let condition = WorkCondition(time: ledger.context.now + .seconds(100))
    #expect(try suspend(condition, in: ledger) == "suspended 1")
    guard case .requested = try ledger.commit(CancelWork(id: .numbered(1), reason: "no need"))
    else {
      Issue.record("not requested")
      return
    }
    #expect(try ledger.claim(1) == ["started 2"])
    #expect(try suspend(condition, attempt: 2, in: ledger) == "cancel requested 2")
    try ledger.commit(ReleaseWork(id: .numbered(1), attempt: 2, reason: .cancelled))
    #expect(try ledger.claim(1) == ["started 3"])
    #expect(
      try finish(StepIdentity("ship"), .cancelled, attempt: 3, in: ledger) == "finished ship in 3")
    #expect(try ledger.promise(1).progress?.knowsOfCancellation == true)
    #expect(try suspend(condition, attempt: 3, in: ledger) == "suspended 3")
    #expect(try ledger.claim(1) == ["not due"])
    ledger.context.now = ledger.context.now + .seconds(100)
    #expect(try ledger.claim(1) == ["started 4"])
    #expect(try ledger.finish(1, .cancelled(.sample)) == "cancelled")
    #expect(try ledger.outcome(1)?.content == Array("no need".utf8))
  }

  /// Otherwise it would run again for ever.
  @Test(arguments: WorkLedger.Form.allCases)
  func codeThatFailsWithoutAskingIsCancelled(form: WorkLedger.Form) throws {
    let ledger = try running(form)
    _ = try finish(in: ledger)
    try ledger.commit(CancelWork(id: .numbered(1), reason: "no need"))
    // The attempt began before the request, so the next one has the opportunity.
    #expect(try ledger.finish(1, .failure) == "retrying")
    #expect(try ledger.claim(1) == ["started 2"])
    #expect(try ledger.finish(1, .failure) == "cancelled")
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func abandonedWorkKeepsNoSteps(form: WorkLedger.Form) throws {
    let ledger = try running(form)
    _ = try finish(in: ledger)
    try ledger.commit(AbandonPromise(id: .numbered(1), reason: ""))
    #expect(try steps(in: ledger) == [])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aStepIsNotCancelledWithoutARequest(form: WorkLedger.Form) throws {
    let ledger = try running(form)
    #expect(try finish(Self.step, .cancelled, in: ledger) == "superseded")
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func parkedWorkIsCancelledAtOnce(form: WorkLedger.Form) throws {
    let ledger = try running(form)
    _ = try finish(in: ledger)
    try ledger.commit(ReleaseWork(id: .numbered(1), attempt: 1, reason: .parked))
    guard case .cancelled = try ledger.commit(CancelWork(id: .numbered(1), reason: "")) else {
      Issue.record("not cancelled")
      return
    }
  }

  // MARK: Events that do not fit

  @Test func eventsOfStepsThatDoNotFitBlockThePromise() throws {
    let finished = WorkStepFinished(
      attempt: 1, step: Self.step, outcome: .value, startedAt: .second(1), typeTag: "t",
      result: [1])
    let events: [(WorkStepFinished, isRunning: Bool, isKept: Bool)] = [
      (finished, false, false), (finished, true, true),
      (
        WorkStepFinished(
          attempt: 2, step: Self.step, outcome: .value, startedAt: .second(1), typeTag: "t",
          result: [1]), true, false
      ),
      (
        WorkStepFinished(
          attempt: 1, step: Self.step, outcome: .cancelled, startedAt: .second(1), result: []),
        true, false
      ),
    ]
    for (event, isRunning, isKept) in events {
      let ledger = try WorkLedger()
      try ledger.create(1)
      if isRunning { try ledger.claim(1) }
      if isKept { _ = try finish(in: ledger) }
      try ledger.append([
        NewEvent(
          kind: .workStepFinished, version: 1, time: .second(1_000),
          subject: PromiseID.numbered(1).entityID, payload: event.encoded)
      ])
      #expect(ledger.state.blocked[PromiseID.numbered(1).entityID] != nil, "\(event)")
    }
  }
}

extension FinishStep.Answer {
  fileprivate var text: String {
    switch self {
    case .finished(let finished): "finished \(finished.step.identity) in \(finished.attempt)"
    case .refused: "refused"
    case .limitReached(let error): "limit reached \(error.code)"
    case .superseded: "superseded"
    }
  }
}

extension SuspendWork.Answer {
  fileprivate var text: String {
    switch self {
    case .suspended(let attempt): "suspended \(attempt)"
    case .due(let attempt): "due \(attempt)"
    case .cancelRequested(let attempt): "cancel requested \(attempt)"
    case .superseded: "superseded"
    }
  }
}
