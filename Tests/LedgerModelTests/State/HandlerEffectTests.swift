import LedgerModelTestSupport
import Testing

@testable import LedgerModel

/// Effects of a call: decided at its end, in one commit with it.
@Suite(.timeLimit(.minutes(10))) struct HandlerEffectTests {
  let id = HandlerID.numbered(1)
  let other = HandlerID.numbered(2)
  let call = CallID.numbered(1)
  let promise = PromiseID.numbered(1)

  /// A ledger whose handler 1 is being called.
  func ledger() throws -> PureLedger {
    var ledger = try PureLedger.withSessions()
    try ledger.commit(CreateHandler(id))
    try ledger.commit(StartCall(id, call))
    return ledger
  }

  func finish(
    _ ledger: inout PureLedger, _ effects: [HandlerEffect],
    result: HandlerCallFinished.Result = .void
  ) throws -> FinishCall.Answer {
    try ledger.commit(FinishCall(id, call, result: result, effects: effects))
  }

  func verdict(
    of action: HandlerEffect.Action, in ledger: inout PureLedger
  ) throws -> DecidedEffect.Verdict? {
    guard case .finished(let finished) = try finish(&ledger, [HandlerEffect(action)]) else {
      return nil
    }
    #expect(try lastReport(of: ledger)?.effects == finished.effects)
    #expect(try ledger.replayed().contents == ledger.state.contents)
    return finished.effects.first?.verdict
  }

  /// The stored report of the newest end.
  func lastReport(of ledger: PureLedger) throws -> HandlerCallFinished.Report? {
    let events = try ledger.frames.flatMap { try $0.events() }
    return try events.last?.decode(as: HandlerCallFinished.self)?.end.report
  }

  // MARK: Verdicts

  enum PromiseState: String, CaseIterable, Sendable { case absent, pending, resolved, abandoned }

  @Test(arguments: PromiseState.allCases, [PromiseOutcomeKind.fulfilled, .rejected, .cancelled])
  func resolvingAPromise(state: PromiseState, outcome: PromiseOutcomeKind) throws {
    var ledger = try ledger()
    if state != .absent { try ledger.commit(CreatePromise(promise)) }
    if state == .resolved { try ledger.commit(ResolvePromise(promise)) }
    if state == .abandoned { try ledger.commit(AbandonPromise(id: promise, reason: "")) }

    let verdict = try verdict(
      of: .resolvePromise(ResolvePromise(promise, outcome)), in: &ledger)

    let expected: [PromiseState: DecidedEffect.Verdict] = [
      .absent: .notFound, .pending: .done, .resolved: .alreadyResolved, .abandoned: .abandoned,
    ]
    #expect(verdict == expected[state])
    if state == .pending {
      #expect(try ledger.state.promise(promise)?.resolution?.outcome == outcome)
    }
  }

  @Test func resolvingWithTheSameIdempotencyKeyIsDeduplicated() throws {
    var ledger = try ledger()
    let resolve = ResolvePromise(promise, idempotencyKey: "k")
    try ledger.commit(CreatePromise(promise))
    try ledger.commit(resolve)
    #expect(try verdict(of: .resolvePromise(resolve), in: &ledger) == .deduplicated)
  }

  @Test func resolvingWithAnotherTypeIsAMismatch() throws {
    var ledger = try ledger()
    try ledger.commit(CreatePromise(promise))
    let resolve = ResolvePromise(promise, typeTag: "number")
    #expect(try verdict(of: .resolvePromise(resolve), in: &ledger) == .typeMismatch)
    #expect(try ledger.state.promise(promise)?.status == .pending)
  }

  @Test func creatingAPromise() throws {
    var ledger = try ledger()
    let create = CreatePromise(promise, idempotencyKey: "k")
    #expect(try verdict(of: .createPromise(create), in: &ledger) == .done)

    var second = try self.ledger()
    try second.commit(create)
    #expect(try verdict(of: .createPromise(create), in: &second) == .deduplicated)

    var third = try self.ledger()
    try third.commit(create)
    let other = CreatePromise(promise, idempotencyKey: "other")
    #expect(try verdict(of: .createPromise(other), in: &third) == .exists)
  }

  @Test func creatingAHandler() throws {
    var ledger = try ledger()
    #expect(try verdict(of: .createHandler(CreateHandler(other)), in: &ledger) == .done)
    #expect(try ledger.state.handler(other)?.status == .active)

    var second = try self.ledger()
    try second.commit(CreateHandler(other))
    #expect(try verdict(of: .createHandler(CreateHandler(other)), in: &second) == .exists)

    var third = try self.ledger()
    let unknown = CreateHandler(other, kind: "unknown")
    #expect(try verdict(of: .createHandler(unknown), in: &third) == .unregistered)
    #expect(try third.state.handler(other) == nil)
  }

  static let verdictsOfCalls: [HandlerStateTableTests.State: DecidedEffect.Verdict] = [
    .absent: .notFound, .idle: .done, .runningElsewhere: .alreadyRunning,
    .released: .alreadyRunning, .repeating: .done, .repeatingRunning: .done,
    .returned: .finished, .failed: .finished, .invalidated: .invalidated,
    .invalidating: .invalidated,
  ]

  static let verdictsOfInvalidations: [HandlerStateTableTests.State: DecidedEffect.Verdict] = [
    .absent: .notFound, .idle: .done, .runningElsewhere: .done, .released: .done,
    .repeating: .done, .repeatingRunning: .done, .returned: .finished, .failed: .finished,
    .invalidated: .invalidated, .invalidating: .invalidated,
  ]

  /// A ledger whose handler 1 is in a state, and whose handler 2 is being called.
  private func ledgerWithCaller(_ state: HandlerStateTableTests.State) throws -> PureLedger {
    var ledger = try HandlerStateTableTests.ledger(in: state)
    try ledger.commit(CreateHandler(other))
    try ledger.commit(StartCall(other, .numbered(20)))
    return ledger
  }

  @Test(arguments: HandlerStateTableTests.State.allCases)
  func callingAHandler(state: HandlerStateTableTests.State) throws {
    guard let expected = Self.verdictsOfCalls[state] else { return }
    var ledger = try ledgerWithCaller(state)
    let started = try ledger.state.handler(other)?.openCalls[.numbered(20)]?.firstStart.position
    let effect = HandlerEffect(.callHandler(id, .numbered(30), .sample(["n": 1])))

    let answer = try ledger.commit(FinishCall(other, .numbered(20), effects: [effect]))

    guard case .finished(let finished) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(finished.effects.map(\.verdict) == [expected])
    #expect(finished.startedCalls.map(\.call.id) == (expected == .done ? [.numbered(30)] : []))
    if expected == .done {
      let open = try ledger.state.handler(id)?.openCalls[.numbered(30)]
      #expect(open?.arguments == .inline(.sample(["n": 1])))
      #expect(open?.runningSession == .numbered(1))
      #expect(try cause(of: .handlerCallStarted, on: id.entityID, in: ledger) == started)
    }
  }

  @Test(arguments: HandlerStateTableTests.State.allCases)
  func invalidatingAHandler(state: HandlerStateTableTests.State) throws {
    guard let expected = Self.verdictsOfInvalidations[state] else { return }
    var ledger = try ledgerWithCaller(state)
    let effect = HandlerEffect(
      .invalidateHandler(id, .numbered(30), reason: "left", .sample(["n": 1])))

    let answer = try ledger.commit(FinishCall(other, .numbered(20), effects: [effect]))

    guard case .finished(let finished) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(finished.effects.map(\.verdict) == [expected])
    let isDone = expected == .done
    #expect(finished.startedInvalidations.map(\.call.id) == (isDone ? [.numbered(30)] : []))
    #expect(finished.startedInvalidations.allSatisfy { $0.call.purpose == .invalidation })
    if isDone { #expect(try ledger.state.handler(id)?.invalidation?.reason == "left") }
  }

  @Test func callingAHandlerOfAnUnknownKindIsRefusedAndInvalidatingItRunsNoCode() throws {
    var ledger = try ledger()
    try ledger.commit(CreateHandler(other, kind: "unknown"))

    let answer = try finish(
      &ledger,
      [
        HandlerEffect(.callHandler(other, .numbered(5), .none)),
        HandlerEffect(.invalidateHandler(other, .numbered(6), reason: "", .none)),
      ])

    guard case .finished(let finished) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(finished.effects.map(\.verdict) == [.unregistered, .done])
    #expect(finished.startedInvalidations.isEmpty)
    #expect(try ledger.state.handler(other)?.invalidation?.runsCode == false)
  }

  // MARK: Unfit arguments

  private static let unfitError = LedgerError(.argumentMissing, "the argument a is missing")

  /// Effects that call and withdraw a handler with arguments that do not fit those bound at a
  /// position.
  private func unfit(
    _ id: HandlerID, _ binding: Position?, isRequired: Bool = false
  ) -> [HandlerEffect] {
    let actions: [HandlerEffect.Action] = [
      .callHandler(id, .numbered(30), .none),
      .invalidateHandler(id, .numbered(31), reason: "", .none),
    ]
    return actions.map { action in
      var effect = HandlerEffect(action, isRequired: isRequired)
      effect.unfit = UnfitArguments(binding: binding, error: Self.unfitError)
      return effect
    }
  }

  @Test(arguments: HandlerStateTableTests.State.allCases)
  func unfitArgumentsBeginNothing(state: HandlerStateTableTests.State) throws {
    guard let call = Self.verdictsOfCalls[state],
      let invalidation = Self.verdictsOfInvalidations[state]
    else { return }
    for (index, expected) in [call, invalidation].enumerated() {
      var ledger = try ledgerWithCaller(state)
      let before = try ledger.state.handler(id)
      let effect = unfit(id, before?.bound.position ?? .start)[index]
      let answer = try ledger.commit(FinishCall(other, .numbered(20), effects: [effect]))
      guard case .finished(let finished) = answer else {
        Issue.record("\(answer)")
        return
      }
      #expect(finished.effects.map(\.verdict) == [expected == .done ? .typeMismatch : expected])
      #expect(try ledger.state.handler(id) == before)
    }
  }

  @Test func argumentsThatWereReboundMeanwhileAreNotRefused() throws {
    var ledger = try ledgerWithCaller(.repeating)
    let old = try #require(try ledger.state.handler(id)?.bound.position)
    try ledger.commit(
      RebindHandler(id: id, mode: .replaced, arguments: .sample(["a": 1]), expectedBinding: nil))
    let answer = try ledger.commit(FinishCall(other, .numbered(20), effects: unfit(id, old)))
    guard case .finished(let finished) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(finished.effects.map(\.verdict) == [.done, .done])
  }

  @Test(arguments: [false, true])
  func aHandlerMadeByTheSameCallIsNotCalledWithUnfitArguments(isThere: Bool) throws {
    var ledger = try ledger()
    if isThere { try ledger.commit(CreateHandler(other)) }
    let create = HandlerEffect(.createHandler(CreateHandler(other)))
    let answer = try finish(&ledger, [create] + unfit(other, nil))
    guard case .finished(let finished) = answer else {
      Issue.record("\(answer)")
      return
    }
    // The handler that was there before has other arguments than those that were checked.
    #expect(
      finished.effects.map(\.verdict)
        == (isThere ? [.exists, .done, .done] : [.done, .typeMismatch, .typeMismatch]))
  }

  @Test func theRefusalOfARequiredEffectNamesTheUnfitArgument() throws {
    var ledger = try ledger()
    try ledger.commit(CreateHandler(other))
    let binding = try ledger.state.handler(other)?.bound.position
    let answer = try finish(&ledger, unfit(other, binding, isRequired: true))
    guard case .requiredEffectRefused(let decided, let error, _) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(decided.verdict == .typeMismatch)
    #expect(error.message.contains(Self.unfitError.message))
    #expect(try ledger.state.handler(other)?.openCalls.isEmpty == true)
  }

  @Test func aHandlerMayInvalidateItselfAndStillFinish() throws {
    var ledger = try ledger()
    let action = HandlerEffect.Action.invalidateHandler(id, .numbered(6), reason: "", .none)
    #expect(try verdict(of: action, in: &ledger) == .done)
    #expect(try ledger.state.handler(id)?.status == .invalidated)
    #expect(try ledger.state.handler(id)?.callsInOrder.map(\.id) == [.numbered(6)])
    #expect(try ledger.state.handler(id)?.lastFinish?.call == call)
  }

  @Test func aHandlerMayInvalidateItselfInALateEndOfAReleasedAttempt() throws {
    var ledger = try ledger()
    try ledger.commit(ReleaseCall(id: id, call: call, attempt: 1, reason: .frozen))
    let action = HandlerEffect.Action.invalidateHandler(id, .numbered(6), reason: "", .none)
    #expect(try verdict(of: action, in: &ledger) == .done)
    #expect(try ledger.state.handler(id)?.status == .invalidated)
    #expect(try ledger.state.handler(id)?.callsInOrder.map(\.id) == [.numbered(6)])
  }

  @Test func aOneShotThatCallsItselfIsRunning() throws {
    var ledger = try ledger()
    let action = HandlerEffect.Action.callHandler(id, .numbered(6), .none)
    #expect(try verdict(of: action, in: &ledger) == .alreadyRunning)
  }
}
