import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// Withdrawing handlers, with and without code for it.
@Suite(.timeLimit(.minutes(10)))
struct InvalidationTests {
  private let temporary: TemporaryLedger
  private let notes = Notes()

  init() throws {
    temporary = try TemporaryLedger()
  }

  private func open(
    _ script: Scripted.Script? = nil, as role: SessionRole = .app
  ) async throws -> Ledger {
    let notes = notes
    var standard = Scripted.Script()
    standard.invalidation = { parameters, _ in
      notes.add("\(parameters.name ?? "-") \(parameters.why ?? "-")")
    }
    let script = script ?? standard
    return try await temporary.open(as: role) { registry in
      try registry.register(Nothing.self)
      try registry.register(Scripted.self) { script }
    }
  }

  @Test func theCodeGetsBoundAndGivenArguments() async throws {
    let ledger = try await open()
    let handler = try await ledger.createHandler(
      Scripted.self, ["name": "bound"], repetition: .repeating
    ).handler
    try await handler.invalidate(["why": "given", "extra": 1], reason: "logged out")
    #expect(notes.lines == ["bound given"])
    let record = try #require(try await handler.record)
    #expect(record.status == .invalidated && record.invalidation?.reason == "logged out")
    #expect(record.lastFinish?.purpose == .invalidation && record.lastFinish?.outcome == .returned)
    await ledger.close()
  }

  @Test func afterItEverythingIsRefused() async throws {
    let ledger = try await open()
    let handler = try await ledger.createHandler(Scripted.self, repetition: .repeating).handler
    try await handler.invalidate(reason: "gone")
    let elsewhere = try await open(as: .appExtension)
    for mine in [handler, elsewhere.handler(id: handler.id)] {
      await expectError(.handlerInvalidated, naming: ["\(handler.id)", "gone"]) {
        try await mine.call()
      }
      await expectError(.handlerInvalidated) { try await mine.rebind([:]) }
      await expectError(.handlerInvalidated) { try await mine.merge([:]) }
      await expectError(.handlerInvalidated) { try await mine.invalidate() }
    }
    #expect(notes.lines == ["- -"])
    #expect(try await ledger.handlers().isEmpty)
    await ledger.close()
    await elsewhere.close()
  }

  @Test func withoutCodeTheHandlerIsMarked() async throws {
    let ledger = try await open()
    let handler = try await ledger.createHandler(Nothing.self).handler
    try await handler.invalidate(["any": 1])
    #expect(try await handler.record?.status == .invalidated)
    #expect(try await handler.record?.openCalls.isEmpty == true)
    await expectError(.handlerInvalidated) { try await handler.call() }
    #expect(try await ledger.payloads(of: HandlerInvalidated.self).map(\.runsCode) == [false])
    await ledger.close()
  }

  @Test func anOrphanIsMarked() async throws {
    let ledger = try await open()
    let handler = try await ledger.createHandler(Scripted.self).handler
    await ledger.close()
    let without = try await temporary.open()
    #expect(try await without.orphanedHandlers().map(\.id) == [handler.id])
    try await without.handler(id: handler.id).invalidate()
    #expect(try await without.orphanedHandlers().isEmpty)
    #expect(notes.lines.isEmpty)
    await without.close()
  }

  @Test func aMissingParameterLeavesTheHandler() async throws {
    struct Strict: LedgerHandler {
      struct Invalidation: Codable, Sendable { let why: String }
      static let kind = "strict"
      func run(in call: HandlerCall<Void>) -> Int { 1 }
      static func invalidate(_ parameters: Invalidation, in call: HandlerCall<Void>) {}
    }
    let ledger = try await temporary.open { try $0.register(Strict.self) }
    let handler = try await ledger.createHandler(Strict.self, repetition: .repeating).handler
    await expectError(.argumentMissing, naming: ["why"]) { try await handler.invalidate() }
    await expectError(.argumentMismatch, naming: ["why", "int"]) {
      try await handler.invalidate(["why": 5])
    }
    #expect(try await handler.call(as: Strict.self) == 1)
    try await handler.invalidate(["why": "because"])
    #expect(try await handler.record?.status == .invalidated)
    await ledger.close()
  }

  @Test func codeThatThrowsLeavesTheHandlerWithdrawn() async throws {
    var script = Scripted.Script()
    script.invalidation = { _, _ in throw ScriptedError(text: "no") }
    let ledger = try await open(script)
    let handler = try await ledger.createHandler(Scripted.self).handler
    await #expect(throws: ScriptedError(text: "no")) { try await handler.invalidate() }
    let record = try #require(try await handler.record)
    #expect(record.status == .invalidated && record.lastFinish?.outcome == .failed)
    #expect(try await ledger.unfinishedCalls().isEmpty)
    await ledger.close()
  }

  @Test func aRunningCallMayFinish() async throws {
    let gate = Gate()
    let script = Scripted.Script { scripted, call in
      try call.fulfill(#require(scripted.promise), 1)
      await gate.pass()
      return 1
    }
    let ledger = try await open(script)
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(Scripted.self, ["promise": promise]).handler
    async let result = handler.call(as: Scripted.self)
    await gate.arrival()
    try await handler.invalidate()
    gate.open()
    #expect(try await result == 1)
    #expect(try await promise.consume() == 1)
    #expect(try await handler.record?.status == .invalidated)
    await ledger.close()
  }

  @Test func aCallThatWasGivenBackIsNotOfferedAfterIt() async throws {
    let gate = Gate()
    let script = Scripted.Script { _, _ in
      await gate.pass()
      try Task.checkCancellation()
      return 1
    }
    let ledger = try await open(script)
    let handler = try await ledger.createHandler(Scripted.self).handler
    let task = Task { try await handler.call() }
    await gate.arrival()
    task.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    let unfinished = try await ledger.unfinishedCalls()
    #expect(unfinished.count == 1)
    try await handler.invalidate()
    #expect(try await ledger.unfinishedCalls().isEmpty)
    await expectError(.handlerInvalidated) { try await ledger.retry(unfinished[0]) }
    await ledger.close()
  }

  @Test func itsEffectsComeWithItsFinish() async throws {
    var script = Scripted.Script()
    script.invalidation = { parameters, call in
      let promise = try call.createPromise(of: String.self, key: PromiseKey("made"))
      try call.fulfill(promise, parameters.why ?? "")
    }
    let ledger = try await open(script)
    let handler = try await ledger.createHandler(Scripted.self).handler
    try await handler.invalidate(["why": "w"])
    let promise = try await ledger.findOrCreatePromise(key: PromiseKey("made"), of: String.self)
    #expect(try await promise.consume() == "w")
    let finished = try await ledger.payloads(of: HandlerInvalidationFinished.self)
    #expect(finished.first?.end.report?.effects.map(\.verdict) == [.done, .done])
    await ledger.close()
  }

  // MARK: By scope

  @Test func allHandlersOfAScopeAreWithdrawn() async throws {
    let ledger = try await open()
    var mine: [HandlerID] = []
    for number in 0..<3 {
      mine.append(
        try await ledger.createHandler(
          Scripted.self, ["name": "\(number)"], scopes: ["account-1", "s\(number)"]
        ).handler.id)
    }
    let spent = try await ledger.createHandler(Nothing.self, scopes: ["account-1"]).handler
    try await spent.call()
    let other = try await ledger.createHandler(Scripted.self, scopes: ["account-2"]).handler
    let report = try await ledger.invalidateAll(
      scope: "account-1", ["why": "logged out"], reason: "r")
    #expect(report.invalidated == mine)
    #expect(report.failures.isEmpty && report.closedMeanwhile.isEmpty)
    #expect(notes.lines == ["0 logged out", "1 logged out", "2 logged out"])
    #expect(try await ledger.handlers().map(\.id) == [other.id])
    await ledger.close()
  }

  @Test func itMayBeDoneAgainFromWithin() async throws {
    let notes = notes
    var script = Scripted.Script()
    script.invalidation = { parameters, call in
      notes.add(parameters.name ?? "-")
      if parameters.name == "0" {
        // Untouched by both, because it is created meanwhile. The inner one would touch it, but
        // checks earlier.
        let report = try await call.ledger.invalidateAll(scope: "s")
        notes.add("inner \(report.invalidated.count)")
        try await call.ledger.createHandler(
          Scripted.self, key: HandlerKey("meanwhile"), scopes: ["s"])
      }
      if parameters.name == "2" { throw ScriptedError(text: "2") }
    }
    let ledger = try await open(script)
    var mine: [HandlerID] = []
    for number in 0..<4 {
      mine.append(
        try await ledger.createHandler(Scripted.self, ["name": "\(number)"], scopes: ["s"])
          .handler.id)
    }
    let report = try await ledger.invalidateAll(scope: "s")
    #expect(notes.lines == ["0", "1", "2", "3", "inner 2"])
    #expect(report.invalidated == [mine[0]])
    #expect(report.closedMeanwhile == [mine[1], mine[2], mine[3]])
    let meanwhile = try await ledger.handler(forKey: HandlerKey("meanwhile")).record
    #expect(meanwhile?.status == .active)
    await ledger.close()
  }

  @Test func codeThatFailsAsAClosedHandlerDoesIsAFailure() async throws {
    var script = Scripted.Script()
    script.invalidation = { parameters, call in
      // The handler that it calls is spent.
      try await call.ledger.handler(forKey: HandlerKey("spent")).call()
    }
    let ledger = try await open(script)
    try await ledger.createHandler(Nothing.self, key: HandlerKey("spent")).handler.call()
    let mine = try await ledger.createHandler(Scripted.self, scopes: ["s"]).handler
    let report = try await ledger.invalidateAll(scope: "s")
    #expect(report.closedMeanwhile.isEmpty && report.invalidated.isEmpty)
    #expect((report.failures[mine.id] as? LedgerError)?.code == .handlerFinished)
    await ledger.close()
  }

  @Test func oneThatFailsKeepsNoOtherBack() async throws {
    var script = Scripted.Script()
    script.invalidation = { parameters, _ in
      if parameters.name == "1" { throw ScriptedError(text: "1") }
    }
    let ledger = try await open(script)
    var mine: [HandlerID] = []
    for number in 0..<3 {
      mine.append(
        try await ledger.createHandler(Scripted.self, ["name": "\(number)"], scopes: ["s"])
          .handler.id)
    }
    let report = try await ledger.invalidateAll(scope: "s")
    #expect(report.invalidated == [mine[0], mine[2]])
    #expect(report.failures.keys.sorted() == [mine[1]])
    #expect(report.failures[mine[1]] as? ScriptedError == ScriptedError(text: "1"))
    #expect(try await ledger.handlers().isEmpty)
    await ledger.close()
  }
}
