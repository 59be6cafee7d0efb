package import LedgerModel
package import LedgerTestSupport

/// Writes a random history of sessions, promises, handlers and work from a seed, by commands alone.
package struct RandomLedger {
  package var generator: SeededGenerator
  package var ledger: PureLedger
  /// How many different entities of each kind there can be.
  package var entityCount = 12
  private var callCount = 0

  package init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    ledger = PureLedger(now: .at(1_000))
    ledger.context.role = .app
    try? ledger.commit(OpenSession(.sample(role: .app)))
  }

  /// Makes one commit of a random number of commands.
  package mutating func writeGroup() {
    ledger.context.session = .numbered(Int.random(in: 1...4, using: &generator))
    ledger.context.role = SessionRole.allCases.randomElement(using: &generator) ?? .app
    ledger.context.now = .at(
      ledger.context.now.nanosecondsSinceEpoch + .random(in: -200...400, using: &generator))
    var decision = ledger.decision()
    for _ in 0..<Int.random(in: 1...8, using: &generator) { try? decide(in: &decision) }
    ledger.keep(decision)
  }

  private mutating func decide(in decision: inout Decision) throws(LedgerError) {
    switch Int.random(in: 0..<42, using: &generator) {
    case 0..<4: _ = try decision.run(create(promiseNumber()))
    case 4..<9: _ = try decision.run(resolve(promise()))
    case 9..<12: _ = try decision.run(ConsumePromise(id: promise(), delivery: .recordedBefore))
    case 12: _ = try decision.run(AbandonPromise(id: promise(), reason: generator.text(5)))
    case 13: _ = try decision.run(TimeOutDuePromises())
    case 14, 15: try decision.run(OpenSession(.sample(role: ledger.context.role)))
    case 16: try decision.run(FreezeSession())
    case 17: try decision.run(UnfreezeSession(processID: 7))
    case 18:
      let session = SessionID.numbered(Int.random(in: 1...4, using: &generator))
      try decision.run(CloseSession(id: session, reason: .died))
    case 19..<30: try decideAboutHandler(handlerNumber(), in: &decision)
    default: try decideAboutWork(in: &decision)
    }
  }

  private mutating func decideAboutHandler(
    _ number: Int, in decision: inout Decision
  ) throws(LedgerError) {
    let id = Self.handler(number)
    let calls = try decision.handler(id)?.callsInOrder ?? []
    let call = calls.randomElement(using: &generator)
    callCount += 1
    let newCall = CallID.numbered(callCount)
    switch Int.random(in: 0..<12, using: &generator) {
    case 0..<4: _ = try decision.run(createHandler(number))
    case 4:
      _ = try decision.run(
        RebindHandler(id: id, mode: .replaced, arguments: arguments(), expectedBinding: nil))
    case 5, 6: _ = try decision.run(StartCall(id, newCall, arguments: arguments()))
    case 7:
      guard let call else { return }
      _ = try decision.run(
        ReleaseCall(id: id, call: call.id, attempt: call.attempt, reason: .cancelled))
    case 8:
      guard let call else { return }
      _ = try decision.run(RetryCall(id: id, call: call.id, expectedAttempt: call.attempt))
    case 9, 10:
      guard let call else { return }
      let size = generator.chance(1, of: 4) ? 6_000 : 10
      let result = HandlerCallFinished.Result.returned(
        typeTag: "bytes", bytes: generator.bytes(size))
      _ = try decision.run(
        FinishCall(
          id, call.id, attempt: call.attempt, result: result,
          effects: [HandlerEffect(.resolvePromise(resolve(promise())))]))
    default:
      _ = try decision.run(
        InvalidateHandler(
          id, newCall, runsCode: generator.chance(1, of: 2), arguments: arguments()))
    }
  }

  // MARK: Parts

  /// The key of every second promise and handler.
  static func key(_ number: Int) -> String? {
    number.isMultiple(of: 2) ? nil : "key of \(number)"
  }

  /// The promise with a number, which has a key or not.
  package static func promise(_ number: Int) -> PromiseID {
    guard let text = key(number), let key = try? PromiseKey(text) else { return .numbered(number) }
    return key.promiseID
  }

  /// The handler with a number, which has a key or not.
  package static func handler(_ number: Int) -> HandlerID {
    guard let text = key(number), let key = try? HandlerKey(text) else { return .numbered(number) }
    return key.handlerID
  }

  private mutating func promiseNumber() -> Int {
    Int.random(in: 1...entityCount, using: &generator)
  }

  private mutating func handlerNumber() -> Int {
    Int.random(in: 1...max(2, entityCount / 3), using: &generator)
  }

  mutating func promise() -> PromiseID { Self.promise(promiseNumber()) }

  private mutating func handler() -> HandlerID { Self.handler(handlerNumber()) }

  mutating func arguments() -> ArgumentSet {
    .of(
      generator.arguments(byteCount: generator.chance(1, of: 4) ? 5_000 : 20),
      HandlerReferences(
        promises: [promise()], handlers: generator.chance(1, of: 3) ? [handler()] : []))
  }

  private mutating func create(_ number: Int) -> CreatePromise {
    let delay = Int64.random(in: -100...2_000, using: &generator)
    return CreatePromise(
      id: Self.promise(number),
      creation: PromiseCreated(
        typeTag: "text", key: Self.key(number),
        label: generator.chance(1, of: 2) ? generator.text(9) : nil,
        deadline: generator.chance(1, of: 2) ? ledger.context.now + .nanoseconds(delay) : nil,
        deadlineEffect: generator.chance(1, of: 3) ? .fulfils : .timesOut,
        idempotencyKey: generator.chance(1, of: 2) ? "a" : nil),
      isStrict: generator.chance(1, of: 2))
  }

  mutating func resolve(_ id: PromiseID) -> ResolvePromise {
    let sizes = [0, 10, 100, 3_000, 5_000]
    let outcome = [PromiseOutcomeKind.fulfilled, .rejected, .cancelled].randomElement(
      using: &generator)
    return ResolvePromise(
      id, outcome ?? .fulfilled,
      content: generator.bytes(sizes.randomElement(using: &generator) ?? 0),
      idempotencyKey: generator.chance(1, of: 2) ? "r" : nil, isStrict: generator.chance(1, of: 2))
  }

  private mutating func createHandler(_ number: Int) -> CreateHandler {
    CreateHandler(
      id: Self.handler(number),
      .init(
        kind: "greet", repetition: generator.chance(1, of: 2) ? .oneShot : .repeating,
        key: Self.key(number),
        scopes: generator.chance(1, of: 2) ? ["room", "house"] : []),
      arguments: arguments())
  }
}
