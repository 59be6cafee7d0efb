import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// Why work that has no lane waits: each reason once, wherever the state is.
@Suite(.timeLimit(.minutes(10))) struct WorkExplanationTests {
  private static let start = Timestamp.second(1_000)
  private static let id = PromiseID.numbered(1)

  /// Fails the newest attempt for the last time.
  private func park(_ number: Int, in ledger: WorkLedger) throws {
    let policy = try WorkRetryPolicy(failureLimit: 1, givingUp: .park)
    #expect(try ledger.finish(number, .failure, policy: policy) == "parked")
  }

  // MARK: Triggers

  @Test(arguments: WorkLedger.Form.allCases)
  func itAwaitsAPendingPromise(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(9)
    ledger.context.now = .second(1_005)
    try ledger.create(1, .after(.numbered(9), .fulfilled))
    ledger.context.now = .second(1_050)
    let explanation = try ledger.explain(1)
    #expect(
      explanation.reasons
        == [.waits(.forPromise(.numbered(9), .fulfilled, since: .second(1_005)))])
    #expect(explanation.chain == [] && explanation.time == .second(1_050))
    try ledger.resolve(9)
    #expect(try ledger.reasons(1).map(\.name) == ["dueWithSessions"])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aChainOfPromisesIsFollowed(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(9)
    for number in (1...4).reversed() {
      try ledger.create(number, .after(.numbered(number == 4 ? 9 : number + 1), .any))
    }
    #expect(try ledger.explain(1).chain == [2, 3, 4, 9].map(PromiseID.numbered))
    #expect(try ledger.explain(4).chain == [])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func itAwaitsAPromiseThatOnlyALaterVersionReads(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(9)
    try ledger.create(1, .after(.numbered(9), .any))
    try ledger.foldAsLaterVersion(9)
    #expect(
      try ledger.reasons(1) == [.waits(.forUnreadablePromise(.numbered(9), since: Self.start))])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func itAwaitsItselfInACircle(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(9)
    try ledger.create(1, .after(.numbered(9), .any))
    try ledger.create(2, .after(.numbered(1), .any))
    try ledger.create(3, .after(.numbered(2), .any))
    // No command makes a circle, but the events of another program may.
    let amended = WorkAmended(trigger: .after(.numbered(2), .any))
    try ledger.append([
      NewEvent(
        kind: .workAmended, version: amended.version, time: .second(1_005),
        subject: Self.id.entityID, payload: amended.encoded)
    ])
    let since = Timestamp.second(1_005)
    #expect(
      try ledger.reasons(1).first
        == .waits(.inCircle([.numbered(1), .numbered(2)], since: since)))
    #expect(
      try ledger.reasons(2).first
        == .waits(.inCircle([.numbered(2), .numbered(1)], since: Self.start)))
    // The circle that it waits for does not contain it.
    let outside = try ledger.explain(3)
    #expect(
      outside.reasons == [.waits(.inCircle([.numbered(2), .numbered(1)], since: Self.start))])
    #expect(outside.chain == [.numbered(2), .numbered(1)])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func itAwaitsATime(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1, .at(.second(1_010)))
    #expect(
      try ledger.reasons(1) == [.waits(.forTime(.second(1_010), since: Self.start))])
    ledger.context.now = .second(1_010)
    #expect(
      try ledger.reasons(1)
        == [
          .due(
            .withSessions(
              (1...3).map(SessionID.numbered), kind: "k", since: .second(1_010)))
        ])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func itIsRetriedLater(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    try ledger.claim(1)
    ledger.context.now = .second(1_003)
    #expect(try ledger.finish(1, .failure) == "retrying")
    let time = try #require(try ledger.promise(1).progress?.release?.event.retryTime)
    let wait = Explanation.Wait.forRetry(
      Self.id, at: time, failureCount: 1, .sample, since: .second(1_003))
    #expect(try ledger.reasons(1) == [.waits(wait)])
    #expect(Explanation.Reason.waits(wait).remedies == [.wait(until: time), .retry(Self.id)])
  }

  /// Such a clock starts work early, and lets it be run again late.
  @Test(arguments: WorkLedger.Form.allCases)
  func aClockThatWasYearsAheadIsNamed(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    let years = Duration.seconds(5 * 365 * 86_400)
    try ledger.create(1, .at(.second(9_000)))
    #expect(try ledger.reasons(1).map(\.name) == ["awaitsTime"])
    ledger.context.now = .second(1_000) + years
    #expect(try ledger.claim(1, as: 2) == ["started 1"])
    #expect(try ledger.finish(1, .failure, as: 2) == "retrying")
    ledger.context.now = .second(9_000)
    #expect(try ledger.claim(1) == ["not due"])
    let reasons = try ledger.reasons(1)
    #expect(reasons.map(\.name) == ["awaitsRetry", "hasTimesAhead"])
    #expect(
      reasons.last
        == .waits(.forTimesAhead(Self.id, of: .numbered(2), since: .second(1_000) + years)))
    // The action that it names ends it.
    try ledger.commit(RetryWork(id: Self.id))
    #expect(try ledger.claim(1) == ["started 2"])
  }

  /// The clocks of two machines differ a little.
  @Test(arguments: WorkLedger.Form.allCases)
  func aClockThatIsALittleAheadIsNotNamed(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    ledger.context.now = .second(1_060)
    try ledger.create(1, .at(.second(9_000)))
    ledger.context.now = .second(1_000)
    #expect(try ledger.reasons(1).map(\.name) == ["awaitsTime"])
    ledger.context.now = .second(999)
    #expect(try ledger.reasons(1).map(\.name) == ["awaitsTime", "hasTimesAhead"])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aStepIsRetriedLater(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(9)
    try ledger.create(1)
    try ledger.claim(1)
    ledger.context.now = .second(1_003)
    let condition = WorkCondition(time: .second(1_100), promises: [.numbered(9)])
    try ledger.commit(
      SuspendWork(
        id: .numbered(1), attempt: 1, until: condition,
        stepFailures: [WorkReleased.StepFailures(StepIdentity("ship"), count: 2)], error: .sample))
    let retry = Explanation.Wait.forStepRetry(
      Self.id, step: "ship", at: .second(1_100), failureCount: 2, .sample, since: .second(1_003))
    let other = Explanation.Wait.forPromise(.numbered(9), .any, since: .second(1_003))
    #expect(try ledger.reasons(1) == [.waits(other), .waits(retry)])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func itsCodeWaitsForATimeAndAPromise(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(9)
    try ledger.create(1)
    try ledger.claim(1)
    let condition = WorkCondition(time: .second(1_100), promises: [.numbered(9)])
    try ledger.commit(SuspendWork(id: .numbered(1), attempt: 1, until: condition))
    let since = ledger.context.now
    #expect(
      try ledger.reasons(1) == [
        .waits(.forPromise(.numbered(9), .any, since: since)),
        .waits(.forTime(.second(1_100), since: since)),
      ])
  }

  /// The outcome is too large for the commit that settles the promise.
  @Test(arguments: WorkLedger.Form.allCases)
  func itPassesOnAnotherOutcome(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(9)
    try ledger.create(1, .after(.numbered(9), .fulfilled))
    ledger.context.now = .second(1_005)
    let error = StoredError(domain: "test", message: String(repeating: "x", count: 9_000))
    try ledger.commit(ResolvePromise(.numbered(9), .rejected, content: error.encoded))
    let reason = Explanation.Reason.waits(
      .toPassOn(.numbered(9), .rejected, since: .second(1_005)))
    #expect(try ledger.reasons(1) == [reason])
    #expect(
      try ledger.reasons(1, living: []).map(\.name) == ["passesOn", "dueWithoutSession"])
  }

  /// More work than one commit settles.
  @Test func itPassesOnThatThePromiseWasAbandoned() throws {
    let ledger = try WorkLedger()
    try ledger.createPromise(9)
    let numbers = 101...357
    try ledger.commit(
      together: numbers.map { CreatePromise(work: $0, .after(.numbered(9), .fulfilled)) })
    try ledger.commit(AbandonPromise(id: .numbered(9), reason: "gone"))
    let rest = try numbers.filter { try ledger.promise($0).status == .pending }
    #expect(rest.count == 1)
    #expect(
      try ledger.reasons(rest[0]) == [.waits(.toPassOn(.numbered(9), nil, since: Self.start))])
  }

  // MARK: Parked

  @Test(arguments: WorkLedger.Form.allCases)
  func failuresParkedIt(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    try ledger.claim(1)
    ledger.context.now = .second(1_003)
    try park(1, in: ledger)
    #expect(
      try ledger.reasons(1)
        == [
          .parked(.byFailure(Self.id, failureCount: 1, .sample, since: .second(1_003)))
        ])
    // Parked again by an operator, the work has another reason.
    try ledger.commit(AmendWork(id: Self.id, WorkAmended(parking: .parked)), as: 2)
    #expect(
      try ledger.reasons(1)
        == [.parked(.byOperator(Self.id, .numbered(2), since: .second(1_003)))])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func deathsParkedIt(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form, sessionCount: 4)
    try ledger.create(1)
    for (count, session) in (2...4).enumerated() {
      let suspicion = try ledger.reasons(1).dropFirst()
      #expect(
        suspicion
          == (count == 0 ? [] : [.due(.asSuspect(deathCount: count, kind: "k"))]))
      #expect(try ledger.claim(1, as: session) == ["started \(count + 1)"])
      try ledger.commit(CloseSession(id: .numbered(session), reason: .died))
    }
    #expect(try ledger.reasons(1) == [.parked(.byDeaths(Self.id, 3, since: Self.start))])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func anOperatorParkedIt(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    ledger.context.now = .second(1_003)
    try ledger.commit(AmendWork(id: Self.id, WorkAmended(parking: .parked)), as: 2)
    #expect(
      try ledger.reasons(1)
        == [.parked(.byOperator(Self.id, .numbered(2), since: .second(1_003)))])
    try ledger.commit(RetryWork(id: Self.id))
    #expect(try ledger.reasons(1).map(\.name) == ["dueWithSessions"])
  }

  // MARK: Running

  /// An attempt of the work by session 2, which began at 1,003 s.
  private static let attempt = Explanation.Attempt(
    promise: id, kind: "k", number: 1, session: .numbered(2), since: .second(1_003))

  private func running(_ form: WorkLedger.Form, options: WorkOptions = WorkOptions()) throws
    -> WorkLedger
  {
    let ledger = try WorkLedger(form)
    try ledger.create(1, options: options)
    ledger.context.now = .second(1_003)
    #expect(try ledger.claim(1, as: 2) == ["started 1"])
    return ledger
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func itRunsInALivingProcess(form: WorkLedger.Form) throws {
    let ledger = try running(form)
    #expect(try ledger.reasons(1) == [.runs(.inLivingProcess(Self.attempt))])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func itRunsInAFrozenSession(form: WorkLedger.Form) throws {
    let ledger = try running(form)
    let reasons = try ledger.reasons(1, living: [1], frozen: [2])
    #expect(reasons == [.runs(.inFrozenSession(Self.attempt))])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func itRunsInAProcessThatIsGone(form: WorkLedger.Form) throws {
    let ledger = try running(form)
    #expect(try ledger.reasons(1, living: [1]) == [.runs(.inLostProcess(Self.attempt))])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func itRunsLongerThanTwiceItsTime(form: WorkLedger.Form) throws {
    let ledger = try running(form, options: WorkOptions(attemptTimeout: .seconds(10)))
    ledger.context.now = .second(1_022)
    #expect(try ledger.reasons(1) == [.runs(.inLivingProcess(Self.attempt))])
    ledger.context.now = .second(1_023)
    #expect(
      try ledger.reasons(1)
        == [.runs(.tooLong(Self.attempt, mayBeTakenOverSince: .second(1_023)))])
    #expect(
      try ledger.reasons(1, frozen: [2]).map(\.name) == ["runsInFrozenSession", "runsTooLong"])
    // What is gone need not be waited for.
    #expect(try ledger.reasons(1, living: []) == [.runs(.inLostProcess(Self.attempt))])
    #expect(try ledger.claim(1, as: 3) == ["started 2"])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func itIsToBeCancelled(form: WorkLedger.Form) throws {
    let ledger = try running(form)
    ledger.context.now = .second(1_004)
    try ledger.commit(CancelWork(id: Self.id, reason: "no need"))
    let request = Explanation.Reason.runs(
      .toBeCancelled(Self.id, reason: "no need", since: .second(1_004)))
    #expect(try ledger.reasons(1) == [.runs(.inLivingProcess(Self.attempt)), request])
    try ledger.commit(CloseSession(id: .numbered(2), reason: .died))
    #expect(
      try ledger.reasons(1).map(\.name) == ["dueWithSessions", "dueAsSuspect", "toBeCancelled"])
  }

  // MARK: Due

  @Test(arguments: WorkLedger.Form.allCases)
  func itIsDueAndNoSessionIsOpen(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    let reason = Explanation.Reason.due(.withoutSession(kind: "k", since: Self.start))
    #expect(try ledger.reasons(1, living: []) == [reason])
    #expect(try ledger.reasons(1, living: [], frozen: [2]) == [reason])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func itIsDueAndSessionsAreOpen(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    #expect(
      try ledger.reasons(1, living: [3, 1])
        == [
          .due(.withSessions([.numbered(1), .numbered(3)], kind: "k", since: Self.start))
        ])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func itIsDueTooLate(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1, options: WorkOptions(givesUpAfter: .second(1_100)))
    ledger.context.now = .second(1_100)
    #expect(
      try ledger.reasons(1) == [.due(.tooLate(since: .second(1_100), kind: "k"))])
    #expect(try ledger.claim(1) == ["ended"])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func itIsDueTooLateAndMustLearnOfItsCancellation(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1, options: WorkOptions(givesUpAfter: .second(1_100)))
    try ledger.claim(1)
    try ledger.finishStep()
    try ledger.commit(ReleaseWork(id: Self.id, attempt: 1, reason: .closed))
    try ledger.commit(CancelWork(id: Self.id, reason: "no need"))
    ledger.context.now = .second(1_100)
    #expect(try ledger.reasons(1).map(\.name) == ["dueWithSessions", "toBeCancelled"])
    #expect(try ledger.claim(1) == ["started 2"])
  }

  // MARK: Deadlines

  @Test(arguments: WorkLedger.Form.allCases)
  func itsTimeIsLimited(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1, deadline: .second(1_010))
    #expect(
      try ledger.reasons(1).last == .deadline(.ahead(.second(1_010), .timesOut)))
    ledger.context.now = .second(1_010)
    #expect(
      try ledger.reasons(1).first == .deadline(.passed(.second(1_010), .timesOut)))
  }

  // MARK: Blocked

  @Test(arguments: WorkLedger.Form.allCases)
  func onlyALaterVersionCanReadItsRecord(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    try ledger.foldAsLaterVersion(1)
    #expect(try ledger.reasons(1) == [.blocked(.laterVersion(nil))])
  }

  @Test func anEventIsOfALaterVersion() throws {
    let ledger = try WorkLedger()
    try ledger.create(1)
    try ledger.append([.raw(EventKind(rawValue: 999), on: Self.id.entityID)])
    #expect(try ledger.reasons(1) == [.blocked(.laterVersion(ledger.position))])
    #expect(try ledger.claim(1) == ["refused unsupportedEvent"])
  }

  @Test func anEventDoesNotFit() throws {
    let ledger = try WorkLedger()
    try ledger.create(1)
    try ledger.append([.of(WorkStarted(attempt: 7), on: Self.id.entityID)])
    #expect(try ledger.reasons(1) == [.blocked(.damaged(ledger.position))])
    #expect(try ledger.claim(1) == ["refused corrupt"])
  }
}
