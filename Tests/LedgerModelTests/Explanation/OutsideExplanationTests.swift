import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// Why promises without work wait, and handlers.
@Suite(.timeLimit(.minutes(10))) struct OutsideExplanationTests {
  private static let start = Timestamp.second(1_000)
  private static let id = PromiseID.numbered(1)
  private static let pending = Explanation.Reason.outside(
    .resolution(id, createdBy: .numbered(1), since: start))

  private func ledgerWithPromise(_ form: WorkLedger.Form) throws -> WorkLedger {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1)
    return ledger
  }

  /// Arguments with the promise in them.
  private static let arguments = ArgumentSet.of(
    .sample(["a": 1]), HandlerReferences(promises: [id], handlers: []))

  // MARK: Promises

  @Test(arguments: WorkLedger.Form.allCases)
  func itWaitsToBeResolved(form: WorkLedger.Form) throws {
    let ledger = try ledgerWithPromise(form)
    #expect(try ledger.reasons(1) == [Self.pending])
    #expect(try ledger.reasons(1, living: [], frozen: [1]) == [Self.pending])
    #expect(Self.pending.remedies == [.resolve(Self.id), .abandon(Self.id)])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func itsCreatorIsGone(form: WorkLedger.Form) throws {
    let ledger = try ledgerWithPromise(form)
    let reason = Explanation.Reason.outside(
      .creatorIsGone(Self.id, .numbered(1), isPending: true))
    #expect(try ledger.reasons(1, living: [2]) == [Self.pending, reason])
    try ledger.commit(CloseSession(id: .numbered(1), reason: .closed), as: 2)
    #expect(try ledger.reasons(1) == [Self.pending, reason])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func handlersHaveIt(form: WorkLedger.Form) throws {
    let ledger = try ledgerWithPromise(form)
    try ledger.commit(CreateHandler(.numbered(1), arguments: Self.arguments))
    try ledger.commit(CreateHandler(.numbered(2)))
    #expect(
      try ledger.reasons(1) == [Self.pending, .outside(.handlers([.numbered(1)]))])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func callsThatRunHaveIt(form: WorkLedger.Form) throws {
    let ledger = try ledgerWithPromise(form)
    try ledger.commit(CreateHandler(.numbered(1), .repeating))
    ledger.context.now = .second(1_005)
    try ledger.commit(
      StartCall(.numbered(1), .numbered(1), arguments: Self.arguments), as: 2)
    try ledger.commit(StartCall(.numbered(1), .numbered(2)), as: 3)
    let call = Explanation.RunningCall(
      handler: .numbered(1), call: .numbered(1), session: .numbered(2), since: .second(1_005))
    #expect(
      try ledger.reasons(1)
        == [Self.pending, .outside(.handlers([.numbered(1)])), .outside(.calls([call]))])
    // A call of a lost process does not run.
    #expect(
      try ledger.reasons(1, living: [1]) == [Self.pending, .outside(.handlers([.numbered(1)]))])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func workHasItInItsArguments(form: WorkLedger.Form) throws {
    let ledger = try ledgerWithPromise(form)
    for (number, references) in [(2, Self.arguments.references), (3, .none)] {
      try ledger.commit(
        CreatePromise(
          id: .numbered(number),
          creation: PromiseCreated(
            typeTag: "text", lifetime: .untilSettled,
            source: .work(
              .init(
                kind: "k", trigger: .now, options: WorkOptions(), references: references,
                arguments: StoredArguments.none))),
          isStrict: true))
    }
    #expect(try ledger.reasons(1) == [Self.pending, .outside(.work([.numbered(2)]))])
    try ledger.commit(AmendWork(id: .numbered(2), WorkAmended(arguments: ArgumentSet.none)))
    try ledger.commit(AmendWork(id: .numbered(3), WorkAmended(arguments: Self.arguments)))
    #expect(try ledger.reasons(1) == [Self.pending, .outside(.work([.numbered(3)]))])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func workWaitsForIt(form: WorkLedger.Form) throws {
    let ledger = try ledgerWithPromise(form)
    for (number, settlement) in zip(2..., WorkTrigger.Settlement.allCases) {
      try ledger.create(number, .after(Self.id, settlement))
    }
    #expect(
      try ledger.reasons(1)
        == [
          Self.pending, .outside(.followers((2...4).map(PromiseID.numbered), isComplete: true)),
        ])
    for number in 5...18 { try ledger.create(number, .after(Self.id, .any)) }
    #expect(
      try ledger.reasons(1).last
        == .outside(.followers((2...17).map(PromiseID.numbered), isComplete: false)))
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func itsOutcomeWaitsToBeConsumed(form: WorkLedger.Form) throws {
    let ledger = try ledgerWithPromise(form)
    ledger.context.now = .second(1_005)
    try ledger.resolve(1, .rejected)
    let reason = Explanation.Reason.outside(
      .consumption(Self.id, .rejected, since: .second(1_005)))
    #expect(try ledger.reasons(1) == [reason])
    #expect(
      try ledger.reasons(1, living: [])
        == [reason, .outside(.creatorIsGone(Self.id, .numbered(1), isPending: false))])
    #expect(reason.remedies == [.consume(Self.id), .abandon(Self.id)])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func nothingMoreHappens(form: WorkLedger.Form) throws {
    let ledger = try ledgerWithPromise(form)
    try ledger.resolve(1)
    ledger.context.now = .second(1_005)
    try ledger.commit(ConsumePromise(id: Self.id, delivery: .recordedBefore))
    #expect(try ledger.reasons(1) == [.ended(.consumed(since: .second(1_005)))])
    try ledger.createPromise(2)
    try ledger.commit(AbandonPromise(id: .numbered(2), reason: "gone"))
    #expect(
      try ledger.reasons(2) == [.ended(.abandoned(reason: "gone", since: .second(1_005)))])
    try ledger.create(3)
    try ledger.claim(3)
    #expect(try ledger.finish(3) == "fulfilled")
    #expect(try ledger.reasons(3) == [.ended(.settled(.fulfilled, since: .second(1_005)))])
  }

  @Test func thereIsNoSuchPromiseOrHandler() throws {
    let explainer = try WorkLedger().explainer()
    #expect(try explainer.explain(PromiseID.numbered(5)) == nil)
    #expect(try explainer.explain(HandlerID.numbered(5)) == nil)
  }

  // MARK: Handlers

  private func handlerReasons(
    _ ledger: WorkLedger, living: Set<Int> = [1, 2, 3]
  ) throws -> [Explanation.Reason]? {
    try ledger.explainer(living: living).explain(HandlerID.numbered(1))?.reasons
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aHandlerWaitsForACall(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.commit(CreateHandler(.numbered(1)))
    let waiting = Explanation.Call.notCalled(.numbered(1), kind: "greet", since: Self.start)
    #expect(try handlerReasons(ledger) == [.call(waiting)])
    ledger.context.now = .second(1_005)
    try ledger.commit(StartCall(.numbered(1), .numbered(7)), as: 2)
    let (call, session, since) = (CallID.numbered(7), SessionID.numbered(2), ledger.context.now)
    #expect(try handlerReasons(ledger) == [.call(.runs(call, .call, session, since: since))])
    #expect(
      try handlerReasons(ledger, living: [1])
        == [.call(.runsInLostProcess(call, .call, session, since: since))])
    ledger.context.now = .second(1_006)
    try ledger.commit(
      ReleaseCall(id: .numbered(1), call: call, attempt: 1, reason: .notRunnable), as: 2)
    #expect(
      try handlerReasons(ledger)
        == [
          .call(
            .givenBack(
              .numbered(1), call, .call, kind: "greet", .notRunnable, since: .second(1_006)))
        ])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aHandlerHasEnded(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.commit(CreateHandler(.numbered(1)))
    try ledger.commit(StartCall(.numbered(1), .numbered(7)))
    ledger.context.now = .second(1_005)
    try ledger.commit(FinishCall(.numbered(1), .numbered(7)))
    #expect(try handlerReasons(ledger) == [.ended(.finished(since: .second(1_005)))])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aHandlerWasInvalidated(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.commit(CreateHandler(.numbered(1)))
    try ledger.commit(InvalidateHandler(.numbered(1), .numbered(7)))
    let ended = Explanation.Reason.ended(.invalidated(reason: "gone", since: Self.start))
    #expect(
      try handlerReasons(ledger)
        == [.call(.runs(.numbered(7), .invalidation, .numbered(1), since: Self.start)), ended])
  }
}
