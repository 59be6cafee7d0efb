import LedgerModelTestSupport
import Testing

@testable import LedgerModel

extension HandlerEffectTests {
  // MARK: One commit

  @Test func laterEffectsSeeEarlierOnes() throws {
    var ledger = try ledger()
    let answer = try finish(
      &ledger,
      [
        HandlerEffect(.createPromise(CreatePromise(promise))),
        HandlerEffect(.resolvePromise(ResolvePromise(promise))),
        HandlerEffect(.resolvePromise(ResolvePromise(promise))),
        HandlerEffect(.createHandler(CreateHandler(other))),
        HandlerEffect(.callHandler(other, .numbered(7), .none)),
        HandlerEffect(.callHandler(other, .numbered(8), .none)),
      ])
    guard case .finished(let finished) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(
      finished.effects.map(\.verdict) == [
        .done, .done, .alreadyResolved, .done, .done, .alreadyRunning,
      ])
    #expect(finished.effects.map(\.subject).prefix(2) == [promise.entityID, promise.entityID])
  }

  @Test func effectsAndTheEndNameTheStartOfTheAttempt() throws {
    var ledger = try PureLedger.withSessions()
    try ledger.commit(CreateHandler(id))
    try ledger.commit(StartCall(id, call), as: 2)
    let first = ledger.state.position
    try ledger.commit(ReleaseCall(id: id, call: call, attempt: 1, reason: .cancelled), as: 2)
    #expect(try events(of: ledger).last?.cause == nil)
    try ledger.commit(RetryCall(id: id, call: call, expectedAttempt: 1))
    let second = ledger.state.position
    #expect(try events(of: ledger).last?.cause == first)

    try ledger.commit(
      FinishCall(
        id, call, attempt: 2,
        effects: [
          HandlerEffect(.createPromise(CreatePromise(promise))),
          HandlerEffect(.resolvePromise(ResolvePromise(promise))),
          HandlerEffect(.createHandler(CreateHandler(other))),
          HandlerEffect(.callHandler(other, .numbered(7), .none)),
          HandlerEffect(.invalidateHandler(other, .numbered(8), reason: "", .none)),
        ]))

    let after = try events(of: ledger).filter { $0.position > second }
    #expect(
      after.map(\.kind) == [
        .promiseCreated, .promiseResolved, .handlerCreated, .handlerCallStarted,
        .handlerInvalidated, .handlerCallFinished,
      ])
    #expect(after.allSatisfy { $0.cause == second })
    // All of one commit.
    let headers = try ledger.frames.suffix(1).map { try $0.header() }
    #expect(headers.first?.eventCount == 6)
  }

  @Test func theEffectsOfCodeThatFailedAreDropped() throws {
    var ledger = try ledger()

    let answer = try finish(
      &ledger, [HandlerEffect(.createPromise(CreatePromise(promise)))], result: .failure)

    #expect(answer.verdict == "finished")
    #expect(try ledger.state.promise(promise) == nil)
    #expect(try ledger.state.handler(id)?.lastFinish?.outcome == .failed)
    #expect(try lastReport(of: ledger) == HandlerCallFinished.Report(result: .failure))
  }

  @Test func aSupersededEndLeavesNoEffect() throws {
    var ledger = try ledger()
    try ledger.commit(ReleaseCall(id: id, call: call, attempt: 1, reason: .frozen))
    try ledger.commit(RetryCall(id: id, call: call, expectedAttempt: 1), as: 2)
    let before = ledger.state.contents

    let answer = try finish(&ledger, [HandlerEffect(.createPromise(CreatePromise(promise)))])

    #expect(answer.verdict == "superseded")
    #expect(ledger.state.contents == before)
    #expect(try ledger.commit(FinishCall(id, call, attempt: 2), as: 2).verdict == "finished")
    #expect(try ledger.commit(FinishCall(id, call, attempt: 2), as: 2).verdict == "superseded")
  }

  @Test func aLateEndOfAReleasedAttemptWithoutATakerIsTaken() throws {
    var ledger = try ledger()
    try ledger.commit(ReleaseCall(id: id, call: call, attempt: 1, reason: .frozen))

    let answer = try finish(&ledger, [HandlerEffect(.createPromise(CreatePromise(promise)))])

    #expect(answer.verdict == "finished")
    #expect(try ledger.state.promise(promise) != nil)
    #expect(try ledger.state.handler(id)?.status == .finished)
  }

  // MARK: Required effects

  @Test(arguments: 0..<3)
  func aRefusedRequiredEffectTakesAllEffectsBack(place: Int) throws {
    var ledger = try ledger()
    var decision = ledger.decision()
    // A neighbour in the same commit, with something large, must stay.
    _ = try decision.run(CreatePromise(.numbered(9)))
    _ = try decision.run(ResolvePromise(.numbered(9), content: [UInt8](repeating: 1, count: 9_000)))
    let wanted = HandlerEffect(
      .resolvePromise(ResolvePromise(.numbered(404))), isRequired: true)
    var effects = [
      HandlerEffect(.createPromise(CreatePromise(promise)), isRequired: true),
      HandlerEffect(.createHandler(CreateHandler(other, arguments: .bytes(9_000)))),
    ]
    effects.insert(wanted, at: place)

    let answer = try decision.run(FinishCall(id, call, effects: effects))
    _ = try decision.run(CreatePromise(.numbered(10)))
    ledger.keep(decision)

    guard case .requiredEffectRefused(let decided, let error, let entity) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(
      decided == DecidedEffect(.fulfillPromise, .notFound, on: PromiseID.numbered(404).entityID))
    #expect(error.message.contains("notFound"))
    #expect(entity.status == .finished)
    #expect(
      entity.lastFinish?.report
        == .inline(HandlerCallFinished.Report(effects: [decided], result: .failed(error))))
    #expect(try ledger.state.promise(promise) == nil)
    #expect(try ledger.state.handler(other) == nil)
    #expect(try ledger.state.promise(.numbered(9))?.status == .resolved)
    #expect(try ledger.state.promise(.numbered(10)) != nil)
    #expect(decision.batch.attachments.map(\.index) == [1])
    #expect(try ledger.replayed().contents == ledger.state.contents)
  }

  @Test(arguments: [DecidedEffect.Verdict.done, .deduplicated])
  func aRequiredEffectThatIsThereIsNotRefused(verdict: DecidedEffect.Verdict) throws {
    var ledger = try ledger()
    let create = CreatePromise(promise, idempotencyKey: "k")
    if verdict == .deduplicated { try ledger.commit(create) }
    let answer = try finish(&ledger, [HandlerEffect(.createPromise(create), isRequired: true)])
    #expect(answer.verdict == "finished")
  }

  // MARK: Limits

  @Test func aFullLedgerTakesEndsButNoEffectsAndNoCalls() throws {
    var ledger = try PureLedger.withSessions()
    for number in 1...4 {
      try ledger.commit(CreateHandler(.numbered(number), .repeating))
      try ledger.commit(StartCall(.numbered(number), .numbered(number)))
    }
    ledger.context.room = CommitRoom(bytes: 0, bytesWithReserve: .max)
    let before = ledger.state.contents
    let create = HandlerEffect(.createPromise(CreatePromise(promise)))
    let errors = [
      #expect(throws: LedgerError.self) { try ledger.commit(CreateHandler(.numbered(9))) },
      #expect(throws: LedgerError.self) { try ledger.commit(StartCall(id, .numbered(9))) },
      #expect(throws: LedgerError.self) {
        try ledger.commit(
          RebindHandler(id: id, mode: .merged, arguments: .none, expectedBinding: nil))
      },
      #expect(throws: LedgerError.self) {
        try ledger.commit(FinishCall(id, call, effects: [create]))
      },
    ]
    #expect(errors.map(\.?.code) == Array(repeating: .ledgerFull, count: 4))
    #expect(ledger.state.contents == before)

    #expect(try ledger.commit(FinishCall(id, call)).verdict == "finished")
    let second = HandlerID.numbered(2)
    let release = ReleaseCall(id: second, call: .numbered(2), attempt: 1, reason: .cancelled)
    #expect(try ledger.commit(release).verdict == "released")
    #expect(try ledger.commit(InvalidateHandler(second, .numbered(9))).verdict == "invalidated")
    #expect(try ledger.commit(FinishCall(second, .numbered(9))).verdict == "finished")
    try ledger.commit(CloseSession(id: .numbered(1), reason: .closed))
    #expect(ledger.state.handlers.openCalls.allSatisfy { $0.call.isReleased })
  }

  @Test func largeCommandsDoNotGetTheReserve() throws {
    var ledger = try ledger()
    try ledger.commit(CreateHandler(other))
    ledger.context.room = CommitRoom(bytes: 0, bytesWithReserve: 100_000)
    let before = ledger.state.contents
    let large = HandlerCallFinished.Result.returned(
      typeTag: "bytes", bytes: [UInt8](repeating: 1, count: 9_000))
    let errors = [
      #expect(throws: LedgerError.self) { try finish(&ledger, [], result: large) },
      #expect(throws: LedgerError.self) {
        try ledger.commit(InvalidateHandler(other, .numbered(9), arguments: .bytes(9_000)))
      },
    ]
    #expect(errors.map(\.?.code) == [.ledgerFull, .ledgerFull])
    #expect(ledger.state.contents == before)
    let small = HandlerCallFinished.Result.returned(
      typeTag: "bytes", bytes: [UInt8](repeating: 1, count: 900))
    #expect(try finish(&ledger, [], result: small).verdict == "finished")
    let invalidate = InvalidateHandler(other, .numbered(9), arguments: .bytes(900))
    #expect(try ledger.commit(invalidate).verdict == "invalidated")
  }

  @Test func tooManyEffectsAreRefusedAndTheCallStaysOpen() throws {
    var ledger = try ledger()
    let effect = HandlerEffect(.resolvePromise(ResolvePromise(promise)))
    let effects = Array(repeating: effect, count: HandlerEffect.maximumCount + 1)
    let error = #expect(throws: LedgerError.self) { try finish(&ledger, effects) }
    #expect(error?.code == .invalidArgument)
    #expect(try finish(&ledger, Array(effects.dropLast())).verdict == "finished")
  }

  // MARK: Reading

  func events(of ledger: PureLedger) throws -> [LedgerEvent] {
    try ledger.frames.flatMap { try $0.events() }
  }

  func cause(
    of kind: EventKind, on subject: EntityID, in ledger: PureLedger
  ) throws -> Position? {
    try events(of: ledger).last { $0.kind == kind && $0.subject == subject }?.cause
  }
}
