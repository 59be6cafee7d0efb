import LedgerModelTestSupport
import Testing

@testable import LedgerModel

/// The effect of handler events that replay cannot apply.
@Suite(.timeLimit(.minutes(10))) struct HandlerBlockedSubjectTests {
  private static let id = HandlerID.numbered(1)
  private static let call = CallID.numbered(1)
  private let id = Self.id
  private let neighbour = HandlerID.numbered(2)
  private let promise = PromiseID.numbered(1)

  /// A ledger with two handlers and a promise; the first handler is being called.
  private func ledger() throws -> PureLedger {
    var ledger = try PureLedger.withSessions()
    try ledger.commit(CreateHandler(id))
    try ledger.commit(CreateHandler(neighbour))
    try ledger.commit(CreatePromise(promise))
    try ledger.commit(StartCall(id, Self.call))
    return ledger
  }

  static let kinds: [EventKind] = [
    .handlerCreated, .handlerRebound, .handlerCallStarted, .handlerCallReleased,
    .handlerCallFinished, .handlerInvalidated, .handlerInvalidationFinished,
  ]

  private func writes(_ id: HandlerID) -> [(inout PureLedger) throws -> Void] {
    [
      { _ = try $0.commit(InvalidateHandler(id, .numbered(8))) },
      {
        _ = try $0.commit(
          RebindHandler(id: id, mode: .replaced, arguments: .none, expectedBinding: nil))
      },
    ]
  }

  @Test(arguments: kinds, [0, 2, .max] as [UInt16])
  func anUnknownVersionStopsWritesToThatHandlerOnly(kind: EventKind, version: UInt16) throws {
    // A creation is unknown only where none was before; later ones just do not fit.
    guard kind != .handlerCreated else { return }
    var ledger = try ledger()

    try ledger.append([.raw(kind, version: version, on: id.entityID)])

    let problem = try #require(ledger.state.blocked[id.entityID])
    #expect(problem.reason == .unsupported(kind, version: version))
    #expect(ledger.state.blocked.count == 1)
    let before = ledger.state.contents
    let finish = FinishCall(id, Self.call)
    let ofFinish = #expect(throws: LedgerError.self) { try ledger.commit(finish) }
    #expect(ofFinish?.code == .unsupportedEvent)
    for write in writes(id) {
      let error = #expect(throws: LedgerError.self) { try write(&ledger) }
      #expect(error?.code == .unsupportedEvent)
    }
    #expect(ledger.state.contents == before)
    #expect(try ledger.commit(StartCall(neighbour, .numbered(2))).verdict == "started")
    #expect(try ledger.commit(ResolvePromise(promise)).verdict == .resolved)
    for write in writes(neighbour).reversed() { try write(&ledger) }
  }

  @Test func aHandlerWhoseCreationIsUnknownIsNotAnsweredAsNotFound() throws {
    var ledger = try PureLedger.withSessions()
    try ledger.append([.raw(.handlerCreated, version: 2, on: id.entityID)])

    let errors = [
      #expect(throws: LedgerError.self) { try ledger.commit(CreateHandler(id)) },
      #expect(throws: LedgerError.self) { try ledger.commit(StartCall(id, Self.call)) },
      #expect(throws: LedgerError.self) { try ledger.commit(InvalidateHandler(id, Self.call)) },
      #expect(throws: LedgerError.self) { try ledger.commit(FinishCall(id, Self.call)) },
      #expect(throws: LedgerError.self) {
        try ledger.commit(RetryCall(id: id, call: Self.call, expectedAttempt: 1))
      },
      #expect(throws: LedgerError.self) {
        try ledger.commit(ReleaseCall(id: id, call: Self.call, attempt: 1, reason: .cancelled))
      },
      #expect(throws: LedgerError.self) {
        try ledger.commit(
          RebindHandler(id: id, mode: .merged, arguments: .none, expectedBinding: nil))
      },
    ]
    #expect(errors.map(\.?.code) == Array(repeating: .unsupportedEvent, count: 7))
  }

  @Test func aSessionEndsAlthoughAHandlerThatItCallsIsBlocked() throws {
    var ledger = try ledger()
    try ledger.commit(StartCall(neighbour, .numbered(2)))
    try ledger.append([.raw(.handlerRebound, version: 2, on: id.entityID)])

    try ledger.commit(CloseSession(id: .numbered(1), reason: .died), as: 2)

    #expect(ledger.state.sessions[.numbered(1)]?.isEnded == true)
    #expect(try ledger.state.handler(neighbour)?.isRunning == false)
    #expect(try ledger.state.handler(id)?.isRunning == true)
  }

  @Test func anEffectOnABlockedHandlerOrPromiseIsRefusedAndTheOthersAreCarriedOut() throws {
    var ledger = try ledger()
    try ledger.append([
      .raw(.handlerRebound, version: 2, on: neighbour.entityID),
      .raw(.promiseResolved, version: 3, on: promise.entityID),
    ])

    let answer = try ledger.commit(
      FinishCall(
        id, Self.call,
        effects: [
          HandlerEffect(.resolvePromise(ResolvePromise(promise))),
          HandlerEffect(.callHandler(neighbour, .numbered(5), .none)),
          HandlerEffect(.createPromise(CreatePromise(.numbered(2)))),
        ]))

    guard case .finished(let finished) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(finished.effects.map(\.verdict) == [.blocked, .blocked, .done])
    #expect(try ledger.state.promise(.numbered(2)) != nil)
  }

  static let illegal: [(name: String, events: [NewEvent])] = {
    let id = Self.id.entityID
    let none = StoredArguments.none
    let oneShot = NewEvent.of(HandlerCreated(handlerKind: "k", arguments: none), on: id)
    let repeating = NewEvent.of(
      HandlerCreated(handlerKind: "k", repetition: .repeating, arguments: none), on: id)
    func start(_ call: Int, _ attempt: UInt32 = 1) -> NewEvent {
      .of(HandlerCallStarted(call: .numbered(call), attempt: attempt), on: id)
    }
    func release(_ call: Int, _ attempt: UInt32 = 1) -> NewEvent {
      .of(HandlerCallReleased(call: .numbered(call), attempt: attempt, reason: .died), on: id)
    }
    func end(_ call: Int, _ attempt: UInt32 = 1) -> HandlerCallFinished.End {
      HandlerCallFinished.End(
        call: .numbered(call), attempt: attempt, report: HandlerCallFinished.Report(result: .void))
    }
    func finish(_ call: Int, _ attempt: UInt32 = 1) -> NewEvent {
      .of(HandlerCallFinished(end(call, attempt)), on: id)
    }
    func invalidate(_ call: Int, runsCode: Bool = true) -> NewEvent {
      .of(HandlerInvalidated(call: .numbered(call), runsCode: runsCode, reason: ""), on: id)
    }
    let rebind = NewEvent.of(HandlerRebound(mode: .merged, arguments: none), on: id)
    let invalidationEnd = NewEvent.of(HandlerInvalidationFinished(end(9)), on: id)
    return [
      ("rebound, never created", [rebind]), ("started, never created", [start(1)]),
      ("released, never created", [release(1)]), ("finished, never created", [finish(1)]),
      ("invalidated, never created", [invalidate(1)]),
      ("created twice", [oneShot, oneShot]),
      ("finished, not started", [oneShot, finish(1)]),
      ("released, not started", [oneShot, release(1)]),
      ("attempt 2 of nothing", [oneShot, start(1, 2)]),
      ("one-shot called twice at once", [oneShot, start(1), start(2)]),
      ("one-shot called beside a released call", [oneShot, start(1), release(1), start(2)]),
      ("one-shot called again", [oneShot, start(1), finish(1), start(2)]),
      ("one-shot rebound after its end", [oneShot, start(1), finish(1), rebind]),
      ("one-shot invalidated after its end", [oneShot, start(1), finish(1), invalidate(9)]),
      ("same call twice", [repeating, start(1), start(1)]),
      ("an attempt left out", [oneShot, start(1), release(1), start(1, 3)]),
      (
        "an attempt repeated",
        [oneShot, start(1), release(1), start(1, 2), release(1, 2), start(1, 2)]
      ),
      ("released twice", [oneShot, start(1), release(1), release(1)]),
      ("older attempt released", [oneShot, start(1), release(1), start(1, 2), release(1)]),
      ("older attempt finished", [oneShot, start(1), release(1), start(1, 2), finish(1)]),
      ("later attempt finished", [oneShot, start(1), finish(1, 2)]),
      ("finished twice", [repeating, start(1), finish(1), finish(1)]),
      ("called after the invalidation", [repeating, invalidate(9), start(1)]),
      ("rebound after the invalidation", [repeating, invalidate(9), rebind]),
      ("invalidated twice", [repeating, invalidate(9), invalidate(8)]),
      ("retried after the invalidation", [repeating, start(1), invalidate(9), start(1, 2)]),
      (
        "retried after release and invalidation",
        [repeating, start(1), release(1), invalidate(9), start(1, 2)]
      ),
      ("dropped call finished", [repeating, start(1), release(1), invalidate(9), finish(1)]),
      ("invalidation ended as a call", [repeating, invalidate(9), finish(9)]),
      ("call ended as an invalidation", [repeating, start(9), invalidationEnd]),
      (
        "invalidation without code ended",
        [repeating, invalidate(9, runsCode: false), invalidationEnd]
      ),
      ("invalidation with the id of a call", [repeating, start(9), invalidate(9)]),
    ]
  }()

  @Test(arguments: illegal.indices)
  func anIllegalTransitionBlocksTheHandlerAndChangesNothingOfIt(index: Int) throws {
    let (name, events) = Self.illegal[index]
    var ledger = PureLedger()
    try ledger.append(Array(events.dropLast()))
    let before = try ledger.state.handler(id)
    try #require(ledger.state.blocked.isEmpty, "\(name)")

    try ledger.append(Array(events.suffix(1)))

    let problem = try #require(ledger.state.blocked[id.entityID], "\(name)")
    guard case .illegalTransition = problem.reason else {
      Issue.record("\(name): \(problem)")
      return
    }
    #expect(try ledger.state.handler(id) == before, "\(name)")
    #expect(try ledger.replayed().contents == ledger.state.contents, "\(name)")
  }

  @Test func aRunThatAnotherSessionHasIsNotTakenOver() throws {
    var ledger = try ledger()
    ledger.context.session = .numbered(2)

    try ledger.append([
      .of(HandlerCallStarted(call: Self.call, attempt: 2), on: id.entityID)
    ])

    #expect(ledger.state.blocked[id.entityID] != nil)
    #expect(try ledger.state.handler(id)?.openCalls[Self.call]?.runningSession == .numbered(1))
  }

  @Test(arguments: kinds)
  func aDamagedPayloadBlocksTheHandlerAndChangesNothingOfIt(kind: EventKind) throws {
    var ledger = kind == .handlerCreated ? PureLedger() : try ledger()
    let before = try ledger.state.handler(id)

    try ledger.append([.raw(kind, on: id.entityID, payload: [0xFF])])

    let problem = try #require(ledger.state.blocked[id.entityID])
    guard case .damagedPayload = problem.reason else {
      Issue.record("\(problem)")
      return
    }
    #expect(try ledger.state.handler(id) == before)
  }

  @Test(arguments: [0, 1])
  func contentBesideTheEventThatIsNotThereIsDamage(index: Int) throws {
    var ledger = try ledger()
    let end = HandlerCallFinished.End(
      call: Self.call, attempt: 1, report: HandlerCallFinished.Report(result: .void))
    let event =
      index == 0
      ? NewEvent.of(HandlerRebound(mode: .merged, arguments: nil), on: id.entityID)
      : .of(HandlerCallFinished(end).detachingContent(), on: id.entityID)

    try ledger.append([event])

    guard case .damagedPayload = ledger.state.blocked[id.entityID]?.reason else {
      Issue.record("not blocked")
      return
    }
    #expect(try ledger.state.handler(id)?.openCalls[Self.call] != nil)
  }
}
