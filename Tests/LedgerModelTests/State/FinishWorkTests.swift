import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// The end of attempts, with the effects of their code.
@Suite(.timeLimit(.minutes(10))) struct FinishWorkTests {
  private static let required = HandlerEffect(
    .resolvePromise(ResolvePromise(.numbered(404))), isRequired: true)

  /// The effects that the outcome of work records.
  private func effects(of number: Int, in ledger: WorkLedger) throws -> [DecidedEffect] {
    let resolved = try #require(try ledger.promise(number).resolved())
    return try PromiseResolved.outcome(ofAttempt: resolved.content ?? []).effects
  }

  // MARK: Values and effects

  @Test(arguments: WorkLedger.Form.allCases)
  func theValueAndTheEffectsAreOneCommit(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    for number in 1...2 { try ledger.createPromise(number) }
    try ledger.resolve(2)
    try ledger.create(3)
    try ledger.create(4)
    try ledger.claim(3)
    let effects = [
      HandlerEffect(.resolvePromise(ResolvePromise(.numbered(1)))),
      HandlerEffect(.resolvePromise(ResolvePromise(.numbered(2), .rejected))),
      HandlerEffect(.resolvePromise(ResolvePromise(.numbered(4)))),
      HandlerEffect(.resolvePromise(ResolvePromise(.numbered(404)))),
      HandlerEffect(.createPromise(CreatePromise(.numbered(5)))),
      HandlerEffect(.createHandler(CreateHandler(.numbered(6)))),
      HandlerEffect(.callHandler(.numbered(6), .numbered(7), .none)),
    ]
    let verdicts: [DecidedEffect.Verdict] = [
      .done, .alreadyResolved, .blocked, .notFound, .done, .done, .done,
    ]
    let command = FinishWork(
      id: .numbered(3), attempt: 1, result: .value,
      effects: RequestedEffects(effects, runnableKinds: ["greet"]))
    guard case .settled(let settled) = try ledger.commit(command) else {
      Issue.record("the work is not settled")
      return
    }
    #expect(settled.effects.map(\.verdict) == verdicts)
    #expect(settled.startedCalls.map(\.call.id) == [.numbered(7)])
    #expect(try self.effects(of: 3, in: ledger) == settled.effects)
    #expect(try ledger.outcome(3) == .init(kind: .fulfilled, content: [7]))
    let events = try ledger.newestEvents()
    #expect(
      events.map(\.kind) == [
        .promiseResolved, .promiseCreated, .handlerCreated, .handlerCallStarted, .promiseResolved,
      ])
    // All come from the start of the attempt.
    let start = try #require(try ledger.promise(3).progress?.start?.position)
    #expect(events.allSatisfy { $0.cause == start })
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aRequiredEffectThatIsRefusedIsAFailure(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1)
    try ledger.create(2)
    try ledger.claim(2)
    let effects = [HandlerEffect(.resolvePromise(ResolvePromise(.numbered(1)))), Self.required]
    #expect(try ledger.finish(2, effects: effects) == "retrying")
    #expect(try ledger.newestEvents().count == 1)
    #expect(try ledger.outcome(1) == nil)
    let error = try #require(try ledger.promise(2).progress?.release?.event.error)
    #expect(error.domain == "PromiseLedger.requiredEffectRefused")
    #expect(error.code == Int64(DecidedEffect.Verdict.notFound.rawValue))

    ledger.context.now = .second(2_000)
    try ledger.claim(2)
    let policy = try WorkRetryPolicy(failureLimit: 2)
    #expect(try ledger.finish(2, effects: effects, policy: policy) == "rejected")
    let refused = DecidedEffect(.fulfillPromise, .notFound, on: PromiseID.numbered(404).entityID)
    #expect(try self.effects(of: 2, in: ledger) == [refused])
    #expect(try ledger.outcome(2) == .init(kind: .rejected, content: error.encoded))
    #expect(try ledger.outcome(1) == nil)
  }

  /// What dropped effects would have settled does not count towards the limit of the commit.
  @Test(arguments: WorkLedger.Form.allCases)
  func droppedEffectsSettleNoFollowers(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    for number in 1...2 { try ledger.createPromise(number) }
    try ledger.create(3)
    for promise in 1...2 {
      let creations = (1...200).map { number in
        CreatePromise(work: 1_000 * promise + number, .after(.numbered(promise), .fulfilled))
      }
      try ledger.commit(together: creations)
    }
    try ledger.claim(3)
    let rejection = HandlerEffect(.resolvePromise(ResolvePromise(.numbered(1), .rejected)))
    let finish = FinishWork(
      id: .numbered(3), attempt: 1, result: .value,
      effects: RequestedEffects([rejection, Self.required]))
    try ledger.decide { (decision) throws(LedgerError) in
      _ = try decision.run(finish)
      _ = try decision.run(ResolvePromise(.numbered(2), .rejected))
    }
    #expect(try ledger.newestEvents().count == 1 + 1 + 200)
    #expect(try ledger.outcome(1_001) == nil)
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aValueOfAnotherTypeParksTheWork(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1)
    try ledger.create(2)
    try ledger.claim(2)
    let effect = HandlerEffect(.resolvePromise(ResolvePromise(.numbered(1))))
    let number = FinishWork.Result.returned(typeTag: "number", bytes: [1])
    #expect(try ledger.finish(2, number, effects: [effect]) == "parked")
    #expect(try ledger.outcome(1) == nil)
    let progress = try #require(try ledger.promise(2).progress)
    #expect(progress.release?.event.error == WorkError.returnedOtherType("number", than: "text"))

    try ledger.commit(AmendWork(id: .numbered(2), WorkAmended(parking: .resumed)))
    try ledger.claim(2)
    // The type has another name now.
    let command = FinishWork(
      id: .numbered(2), attempt: 2, result: number, formerTypeTags: ["text"])
    #expect(try ledger.commit(command).text == "fulfilled")
  }

  // MARK: Superseded attempts

  /// The changes after which the end of the first attempt of work 1 changes nothing.
  enum Interference: Sendable, CaseIterable {
    case takenOver, released, failed, parked, closed, died, forced, timedOut, abandoned
    case frozenAndClaimed, frozenAndParked
  }

  private func interfere(_ interference: Interference, with ledger: WorkLedger) throws {
    let id = PromiseID.numbered(1)
    func freeze() throws {
      try ledger.commit(FreezeSession())
      try ledger.commit(UnfreezeSession(processID: 1))
    }
    switch interference {
    case .takenOver:
      ledger.context.now = .second(1_100)
      #expect(try ledger.claim(1, as: 2) == ["started 2"])
    case .released: try ledger.commit(ReleaseWork(id: id, attempt: 1, reason: .cancelled))
    case .failed: try ledger.finish(1, .failure)
    case .parked: try ledger.finish(1, .returned(typeTag: "number", bytes: []))
    case .closed: try ledger.commit(CloseSession(id: .numbered(1), reason: .closed))
    case .died: try ledger.commit(CloseSession(id: .numbered(1), reason: .died), as: 2)
    case .forced:
      let forced = ResolvePromise(
        id: id, outcome: .fulfilled, content: [9], typeTag: nil, idempotencyKey: nil,
        isStrict: true, isForced: true)
      try ledger.commit(forced)
    case .timedOut: ledger.context.now = .second(9_000)
    case .abandoned: try ledger.commit(AbandonPromise(id: id, reason: "gone"))
    case .frozenAndClaimed:
      try freeze()
      #expect(try ledger.claim(1, as: 2) == ["started 2"])
    case .frozenAndParked:
      try freeze()
      try ledger.commit(AmendWork(id: id, WorkAmended(parking: .parked)))
    }
  }

  @Test(arguments: WorkLedger.Form.allCases, Interference.allCases)
  func theEndOfASupersededAttemptChangesNothing(
    form: WorkLedger.Form, interference: Interference
  ) throws {
    for result in [FinishWork.Result.value, .failure] {
      let ledger = try WorkLedger(form)
      try ledger.createPromise(2)
      let options = WorkOptions(attemptTimeout: .seconds(10), givesUpAfter: .second(5_000))
      try ledger.create(1, options: options, deadline: .second(9_000))
      try ledger.claim(1)
      try interfere(interference, with: ledger)
      let outcome = try ledger.outcome(1)
      let effect = HandlerEffect(.resolvePromise(ResolvePromise(.numbered(2))))
      #expect(try ledger.finish(1, result, attempt: 1, effects: [effect]) == "superseded")
      #expect(try ledger.outcome(2) == nil)
      switch interference {
      case .timedOut: #expect(try ledger.outcome(1)?.kind == .timedOut)
      default: #expect(try ledger.outcome(1) == outcome)
      }
    }
  }

  @Test func attemptsThatNeverWereAreSuperseded() throws {
    let ledger = try WorkLedger()
    try ledger.createPromise(1)
    try ledger.create(2)
    #expect(try ledger.finish(2, attempt: 1) == "superseded")
    try ledger.claim(2)
    #expect(try ledger.finish(2, attempt: 2) == "superseded")
    #expect(try ledger.finish(2, as: 2) == "superseded")
    #expect(try ledger.finish(1, attempt: 1) == "superseded")
    let unknown = FinishWork(id: .numbered(404), attempt: 1, result: .value)
    #expect(try ledger.commit(unknown).text == "superseded")
    #expect(try ledger.finish(2) == "fulfilled")
    #expect(try ledger.finish(2) == "superseded")
  }

  // MARK: Freezing

  @Test(arguments: WorkLedger.Form.allCases)
  func codeThatWentOnWhileTheSessionWasFrozenEndsItsWork(form: WorkLedger.Form) throws {
    for (result, end) in [(FinishWork.Result.value, "fulfilled"), (.failure, "retrying")] {
      let ledger = try WorkLedger(form)
      try ledger.create(1, options: .lane())
      try ledger.create(2, options: .lane())
      try ledger.claim(1)
      try ledger.commit(FreezeSession())
      try ledger.commit(UnfreezeSession(processID: 1))
      #expect(try ledger.finish(1, result, attempt: 1) == end)
      #expect(try ledger.newestEvents().count == 2)
      let entity = try ledger.promise(1)
      #expect(entity.progress?.attempt == 2)
      #expect(entity.progress?.failureCount == (end == "retrying" ? 1 : 0))
      #expect(try ledger.claim(2) == [end == "retrying" ? "lane full" : "started 1"])
    }
  }

  /// The result is there, so it counts, although no new attempt would begin now.
  @Test(arguments: WorkLedger.Form.allCases)
  func aResultIsNotLostBecauseTheNextAttemptWasPutOff(form: WorkLedger.Form) throws {
    let amendments = [
      WorkAmended(trigger: .at(.second(9_000))),
      WorkAmended(options: WorkOptions(givesUpAfter: .second(1))),
    ]
    for amended in amendments {
      let ledger = try WorkLedger(form)
      try ledger.create(1)
      try ledger.claim(1)
      try ledger.commit(FreezeSession())
      try ledger.commit(AmendWork(id: .numbered(1), amended), as: 2)
      try ledger.commit(UnfreezeSession(processID: 1))
      #expect(try ledger.finish(1, attempt: 1) == "fulfilled")
    }
  }

  // MARK: Cancelling

  @Test(arguments: WorkLedger.Form.allCases)
  func cancelledCodeThatFailsCancelsItsPromise(form: WorkLedger.Form) throws {
    for (result, end) in [
      (FinishWork.Result.failure, "cancelled"), (.finalFailure, "cancelled"),
      (.returned(typeTag: "number", bytes: []), "cancelled"), (.value, "fulfilled"),
    ] {
      let ledger = try WorkLedger(form)
      try ledger.create(1)
      try ledger.create(2, .after(.numbered(1), .fulfilled))
      try ledger.claim(1)
      try ledger.commit(CancelWork(id: .numbered(1), reason: "no need"))
      #expect(try ledger.outcome(1) == nil)
      #expect(try ledger.finish(1, result) == end)
      guard end == "cancelled" else { continue }
      let cancelled = WorkLedger.Outcome(kind: .cancelled, content: Array("no need".utf8))
      for number in 1...2 { #expect(try ledger.outcome(number) == cancelled) }
    }
  }

  /// Code that began before the request has had no opportunity to learn of it, although its attempt has.
  @Test(arguments: WorkLedger.Form.allCases)
  func codeThatOutlivesAFreezeAndFailsRunsAgainToLearnOfTheRequest(
    form: WorkLedger.Form
  ) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    try ledger.claim(1)
    let start = try ledger.promise(1).progress?.start?.position
    try ledger.finishStep()
    try ledger.commit(FreezeSession())
    try ledger.commit(CancelWork(id: .numbered(1), reason: "no need"), as: 2)
    try ledger.commit(UnfreezeSession(processID: 1))
    let end = FinishWork(id: .numbered(1), attempt: 1, result: .failure, codeStart: start)
    #expect(try ledger.commit(end).text == "retrying")
    #expect(try ledger.claim(1) == ["started 3"])
    // Now it had one.
    let newStart = try ledger.promise(1).progress?.start?.position
    let again = FinishWork(id: .numbered(1), attempt: 3, result: .failure, codeStart: newStart)
    #expect(try ledger.commit(again).text == "cancelled")
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func cancelledCodeOfAProcessThatDiedRunsAgain(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    try ledger.claim(1, as: 2)
    try ledger.commit(CancelWork(id: .numbered(1), reason: "no need"))
    try ledger.commit(CloseSession(id: .numbered(2), reason: .died))
    #expect(try ledger.claim(1) == ["started 2"])
    #expect(try ledger.finish(1, .failure) == "cancelled")
  }
}
