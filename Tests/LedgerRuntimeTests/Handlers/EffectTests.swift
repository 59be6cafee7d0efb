import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

/// The effects that code requests from the ledger: once, with the finish, with a verdict.
@Suite(.timeLimit(.minutes(10)))
struct EffectTests {
  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  private func open(_ script: Scripted.Script) async throws -> Ledger {
    try await temporary.open { registry in
      try registry.register(Nothing.self)
      try registry.register(Scripted.self) { script }
    }
  }

  private func open(_ code: @escaping Scripted.Code) async throws -> Ledger {
    try await open(Scripted.Script(code: code))
  }

  @Test func effectsComeWithTheFinishInOneCommit() async throws {
    let gate = Gate()
    let ledger = try await open { scripted, call in
      try call.fulfill(#require(scripted.promise), 4)
      let made = try call.createPromise(of: String.self, label: "made by a call")
      try call.cancel(made, reason: "at once")
      await gate.pass()
      return 1
    }
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(Scripted.self, ["promise": promise]).handler
    async let running = handler.call()
    await gate.arrival()
    #expect(try await promise.record?.status == .pending)
    let before = try await ledger.catchUp()
    gate.open()
    let result = try await running
    #expect(result.effects.map(\.effect) == [.fulfillPromise, .createPromise, .cancelPromise])
    #expect(result.effects.allSatisfy { $0.verdict == .done })
    #expect(try await promise.consume() == 4)
    var kinds: [EventKind] = []
    var causes: Set<Position?> = []
    for try await event in ledger.events(after: before) {
      kinds.append(event.kind)
      causes.insert(event.cause)
      if event.kind == .handlerCallFinished { break }
    }
    #expect(
      kinds == [.promiseResolved, .promiseCreated, .promiseResolved, .handlerCallFinished])
    // Each names the beginning of the call.
    #expect(causes == [before])
    let finished = try await ledger.payloads(of: HandlerCallFinished.self)
    #expect(finished.first?.end.report?.effects == result.effects)
    await ledger.close()
  }

  @Test func refusedEffectsAreVerdictsAndDoNotFailTheCall() async throws {
    let ledger = try await open { scripted, call in
      let promise = try #require(scripted.promise)
      try call.reject(promise, ScriptedError(text: "late"))
      try call.fulfill(call.ledger.promise(id: promise.id, of: String.self), "mistyped")
      let unknown = PromiseID(entityID: call.id.entityID)
      try call.fulfill(call.ledger.promise(id: unknown, of: Int.self), 1)
      try call.scheduleCall(of: try #require(scripted.other))
      try call.scheduleCall(of: call.ledger.handler(id: HandlerID(entityID: call.id.entityID)))
      _ = try call.createHandler(Nothing.self, key: HandlerKey("taken"))
      _ = try call.createPromise(of: Int.self, key: PromiseKey("taken"))
      return 1
    }
    let promise = try await ledger.createPromise(of: Int.self)
    try await promise.fulfill(0)
    let spent = try await ledger.createHandler(Nothing.self, key: HandlerKey("taken")).handler
    try await spent.call()
    _ = try await ledger.createPromise(
      key: PromiseKey("taken"), of: Int.self, idempotencyKey: IdempotencyKey("another"))
    let handler = try await ledger.createHandler(
      Scripted.self, ["promise": promise, "other": spent]
    ).handler
    let result = try await handler.call()
    #expect(
      result.effects.map(\.verdict) == [
        .alreadyResolved, .alreadyResolved, .notFound, .finished, .notFound, .exists, .exists,
      ])
    #expect(try await promise.consume() == 0)
    await ledger.close()
  }

  @Test func aMistypedValueIsAVerdict() async throws {
    let ledger = try await open { scripted, call in
      let promise = try #require(scripted.promise)
      try call.fulfill(call.ledger.promise(id: promise.id, of: String.self), "mistyped")
      return 1
    }
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(Scripted.self, ["promise": promise]).handler
    #expect(try await handler.call().effects.map(\.verdict) == [.typeMismatch])
    #expect(try await promise.record?.status == .pending)
    await ledger.close()
  }

  @Test func aRefusedRequiredEffectFailsTheCallWithoutAnyEffect() async throws {
    let ledger = try await open { scripted, call in
      let made = try call.createPromise(of: Int.self, key: PromiseKey("made"))
      try call.fulfill(made, 1)
      try call.fulfill(#require(scripted.promise), 4, required: true)
      return 1
    }
    let promise = try await ledger.createPromise(of: Int.self)
    try await promise.fulfill(0)
    let handler = try await ledger.createHandler(Scripted.self, ["promise": promise]).handler
    await expectError(
      .requiredEffectRefused, naming: ["\(handler.id)", "\(promise.id)", "alreadyResolved"]
    ) { try await handler.call() }
    #expect(try await ledger.record(forKey: PromiseKey("made")) == nil)
    #expect(try await handler.record?.lastFinish?.outcome == .failed)
    await ledger.close()
  }

  @Test func effectsAfterTheCodeEndedAreRefused() async throws {
    let kept = Kept()
    let ledger = try await open { _, call in
      kept.call = call
      return 1
    }
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(Scripted.self).handler
    try await handler.call()
    let call = try #require(kept.call)
    await expectError(.callEnded, naming: ["\(handler.id)", "\(call.id)"]) {
      try call.fulfill(promise, 1)
    }
    await expectError(.callEnded) { try call.createPromise(of: Int.self) }
    await expectError(.callEnded) { try call.invalidate(handler) }
    #expect(try await promise.record?.status == .pending)
    await ledger.close()
  }

  /// Keeps a call beyond its time.
  private final class Kept: Sendable {
    private let contents = Mutex<HandlerCall<Scripted.Script>?>(nil)
    var call: HandlerCall<Scripted.Script>? {
      get { contents.withLock { $0 } }
      set { contents.withLock { $0 = newValue } }
    }
  }

  @Test func effectsAreBounded() async throws {
    let ledger = try await open { scripted, call in
      let promise = try #require(scripted.promise)
      for _ in 0..<1_000 { try call.fulfill(promise, 1) }
      try call.fulfill(promise, 1)
      return 1
    }
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(Scripted.self, ["promise": promise]).handler
    await expectError(.invalidArgument, naming: ["1000 effects"]) { try await handler.call() }
    await ledger.close()
  }

  // MARK: Calls as effects

  @Test func aCallAsAnEffectRunsAfterwards() async throws {
    let notes = Notes()
    let ledger = try await open { scripted, call in
      notes.add("\(scripted.name ?? "") begins")
      if let other = scripted.other { try call.scheduleCall(of: other, ["name": "called"]) }
      notes.add("\(scripted.name ?? "") ends")
      return 1
    }
    let second = try await ledger.createHandler(Scripted.self, ["name": "bound"]).handler
    let first = try await ledger.createHandler(
      Scripted.self, ["name": "first", "other": second]
    ).handler
    let result = try await first.call()
    #expect(result.effects.map(\.verdict) == [.done])
    #expect(notes.lines == ["first begins", "first ends", "called begins", "called ends"])
    #expect(try await second.record?.status == .finished)
    #expect(try await ledger.unfinishedCalls().isEmpty)
    await ledger.close()
  }

  @Test func aFailingCallAsAnEffectIsRecordedAndNotThrown() async throws {
    let ledger = try await open { scripted, call in
      if scripted.name == "fails" { throw ScriptedError(text: "second") }
      try call.scheduleCall(of: #require(scripted.other))
      return 1
    }
    let second = try await ledger.createHandler(Scripted.self, ["name": "fails"]).handler
    let first = try await ledger.createHandler(Scripted.self, ["other": second]).handler
    #expect(try await first.call().effects.map(\.verdict) == [.done])
    #expect(try await second.record?.lastFinish?.outcome == .failed)
    await ledger.close()
  }

  @Test func aCallAsAnEffectThatCannotRunIsGivenBack() async throws {
    struct Gone: Error {}
    let isThere = Flag()
    let ledger = try await temporary.open { registry in
      try registry.register(
        Scripted.self,
        contextFor: { record in
          guard isThere.isSet || record.references.handlers.count == 1 else { throw Gone() }
          return Scripted.Script { scripted, call in
            if let other = scripted.other { try call.scheduleCall(of: other, ["name": "given"]) }
            return call.attempt
          }
        })
    }
    let second = try await ledger.createHandler(Scripted.self).handler
    let first = try await ledger.createHandler(Scripted.self, ["other": second]).handler
    try await first.call()
    let unfinished = try await ledger.unfinishedCalls()
    #expect(unfinished.map(\.handler) == [second.id])
    #expect(unfinished.first?.release == .notRunnable)
    #expect(try await ledger.preflight().isEmpty)
    isThere.set()
    #expect(try await ledger.retry(unfinished[0]).value(as: Int.self) == 2)
    await ledger.close()
  }

  @Test(arguments: [false, true])
  func aCallAsAnEffectWithUnfitArgumentsLeavesTheHandlerCallable(isRequired: Bool) async throws {
    let ledger = try await open { scripted, call in
      guard let other = scripted.other else { return 7 }
      try call.scheduleCall(of: other, ["name": 5], required: isRequired)
      return 1
    }
    let second = try await ledger.createHandler(Scripted.self).handler
    let first = try await ledger.createHandler(Scripted.self, ["other": second]).handler
    if isRequired {
      await expectError(
        .requiredEffectRefused, naming: ["\(second.id)", "name", "string", "not int"]
      ) { try await first.call() }
    } else {
      #expect(try await first.call().effects.map(\.verdict) == [.typeMismatch])
    }
    #expect(try await ledger.unfinishedCalls().isEmpty)
    // It is one-shot, and was not used up.
    #expect(try await second.call(as: Scripted.self, ["name": "five"]) == 7)
    await ledger.close()
  }

  @Test func aHandlerThatACallMakesIsNotCalledWithUnfitArguments() async throws {
    let ledger = try await open { scripted, call in
      guard scripted.name == "maker" else { return 2 }
      let made = try call.createHandler(Scripted.self, key: HandlerKey("made"))
      try call.scheduleCall(of: made, ["name": 5])
      try call.invalidate(made, ["name": 5])
      return 1
    }
    let maker = try await ledger.createHandler(Scripted.self, ["name": "maker"]).handler
    let result = try await maker.call()
    #expect(result.effects.map(\.verdict) == [.done, .typeMismatch, .typeMismatch])
    let made = ledger.handler(forKey: try HandlerKey("made"))
    #expect(try await made.record?.status == .active)
    #expect(try await made.call(as: Scripted.self, ["name": "given"]) == 2)
    await ledger.close()
  }

  @Test func aLongChainOfCallsIsRunOneAfterTheOther() async throws {
    let notes = Notes()
    let length = 300
    let ledger = try await open { scripted, call in
      notes.add("run")
      if notes.lines.count < length { try call.scheduleCall(of: call.handler) }
      return 1
    }
    let handler = try await ledger.createHandler(Scripted.self, repetition: .repeating).handler
    try await handler.call()
    #expect(notes.lines.count == length)
    #expect(try await handler.record?.openCalls.isEmpty == true)
    await ledger.close()
  }

  @Test func aHandlerThatACallMakesCanBeCalledInIt() async throws {
    let notes = Notes()
    let ledger = try await open { scripted, call in
      notes.add(scripted.name ?? "")
      guard scripted.name == "maker" else { return 2 }
      let made = try call.createHandler(
        Scripted.self, ["name": "made", "other": call.handler], key: HandlerKey("made"),
        scopes: ["s"], repetition: .repeating)
      try call.scheduleCall(of: made)
      return 1
    }
    let maker = try await ledger.createHandler(Scripted.self, ["name": "maker"]).handler
    let result = try await maker.call()
    #expect(result.effects.map(\.effect) == [.createHandler, .callHandler])
    #expect(notes.lines == ["maker", "made"])
    let made = try #require(try await ledger.handler(forKey: HandlerKey("made")).record)
    #expect(
      made.scopes == ["s"] && made.repetition == .repeating
        && made.references.handlers == [maker.id])
    await ledger.close()
  }

  @Test func anInvalidationAsAnEffectRunsItsCodeAfterwards() async throws {
    let notes = Notes()
    var script = Scripted.Script { scripted, call in
      try call.invalidate(#require(scripted.other), ["why": "an effect"], reason: "over")
      notes.add("code")
      return 1
    }
    script.invalidation = { parameters, _ in
      notes.add("invalidation of \(parameters.name ?? "") by \(parameters.why ?? "")")
    }
    let ledger = try await open(script)
    let second = try await ledger.createHandler(Scripted.self, ["name": "second"]).handler
    let first = try await ledger.createHandler(Scripted.self, ["other": second]).handler
    #expect(try await first.call().effects.map(\.verdict) == [.done])
    #expect(notes.lines == ["code", "invalidation of second by an effect"])
    let record = try #require(try await second.record)
    #expect(record.status == .invalidated && record.invalidation?.reason == "over")
    #expect(record.lastFinish?.purpose == .invalidation && record.openCalls.isEmpty)
    await ledger.close()
  }

  // MARK: A finish that cannot be written

  @Test func aFinishThatFailsLeavesTheCallToBeRunAgain() async throws {
    let isSmall = Flag()
    var configuration = LedgerConfiguration()
    configuration.sizeLimitInBytes = 8 << 20
    try configuration.handlers.register(Scripted.self) {
      Scripted.Script { scripted, call in
        let made = try call.createPromise(of: [UInt8].self, key: PromiseKey("large"))
        let size = isSmall.isSet ? 1_000 : 6 << 20
        try call.fulfill(made, [UInt8](repeating: 1, count: size))
        return call.attempt
      }
    }
    let ledger = try await temporary.open(configuration: configuration)
    let handler = try await ledger.createHandler(Scripted.self).handler
    await expectError(.ledgerFull) { try await handler.call() }
    #expect(try await ledger.record(forKey: PromiseKey("large")) == nil)
    let unfinished = try await ledger.unfinishedCalls()
    #expect(unfinished.map(\.handler) == [handler.id])
    isSmall.set()
    let results = try await ledger.retryUnfinishedCalls()
    #expect(try results[unfinished[0].id]?.get().value(as: Int.self) == 2)
    #expect(try await ledger.record(forKey: PromiseKey("large"))?.status == .resolved)
    await ledger.close()
  }
}
