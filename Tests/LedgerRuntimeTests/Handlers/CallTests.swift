import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// One-shot and repeating handlers, failures, and the values that a call keeps.
@Suite(.timeLimit(.minutes(10)))
struct CallTests {
  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  private func open(
    _ code: @escaping Scripted.Code = { _, _ in 7 }
  ) async throws -> Ledger {
    try await temporary.open { registry in
      try registry.register(Nothing.self)
      try registry.register(Scripted.self) { Scripted.Script(code: code) }
    }
  }

  @Test func aOneShotHandlerIsCalledOnce() async throws {
    let ledger = try await open()
    let handler = try await ledger.createHandler(Scripted.self).handler
    let result = try await handler.call()
    #expect(try result.value(as: Int.self) == 7)
    #expect(result.attempt == 1 && result.handler == handler.id && result.effects.isEmpty)
    await expectError(.handlerFinished, naming: ["\(handler.id)", "scripted"]) {
      try await handler.call()
    }
    await expectError(.handlerFinished) { try await handler.rebind([:]) }
    await expectError(.handlerFinished) { try await handler.merge([:]) }
    await expectError(.handlerFinished) { try await handler.invalidate() }
    let record = try #require(try await handler.record)
    #expect(record.status == .finished && record.openCalls.isEmpty)
    #expect(record.lastFinish?.call == result.call && record.lastFinish?.outcome == .returned)
    #expect(try await ledger.handlers().isEmpty)
    await ledger.close()
  }

  @Test func aRepeatingHandlerIsCalledAgainAndAgain() async throws {
    let ledger = try await open()
    let handler = try await ledger.createHandler(Scripted.self, repetition: .repeating).handler
    var calls: Set<CallID> = []
    for _ in 0..<3 { calls.insert(try await handler.call().call) }
    #expect(calls.count == 3)
    #expect(try await handler.record?.status == .active)
    await ledger.close()
  }

  @Test func returnedValuesHaveTheirType() async throws {
    let ledger = try await open()
    let handler = try await ledger.createHandler(Scripted.self).handler
    let result = try await handler.call()
    await expectError(.typeMismatch, naming: ["int", "string"]) {
      try result.value(as: String.self)
    }
    await ledger.close()
  }

  @Test func aFailureIsRecordedAndThrown() async throws {
    let notes = Notes()
    let ledger = try await open { scripted, call in
      notes.add("run")
      if let promise = scripted.promise { try call.fulfill(promise, 1) }
      throw ScriptedError(text: "broken")
    }
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(Scripted.self, ["promise": promise]).handler
    await #expect(throws: ScriptedError(text: "broken")) { try await handler.call() }
    #expect(try await promise.outcome.kind == .rejected)
    #expect(try await handler.record?.lastFinish?.outcome == .failed)
    await expectError(.handlerFinished) { try await handler.call() }
    #expect(notes.lines == ["run"])
    let finished = try await ledger.payloads(of: HandlerCallFinished.self)
    guard case .failed(let error)? = finished.last?.end.report?.result else {
      Issue.record("no failure in \(finished)")
      return
    }
    #expect(error.decode(as: ScriptedError.self) == ScriptedError(text: "broken"))
    await ledger.close()
  }

  @Test func aRunningOneShotHandlerIsNotCalled() async throws {
    let gate = Gate()
    let ledger = try await open { _, _ in
      await gate.pass()
      return 1
    }
    let elsewhere = try await open()
    let handler = try await ledger.createHandler(Scripted.self).handler
    async let result = handler.call(as: Scripted.self)
    await gate.arrival()
    await expectError(.handlerRunning, naming: ["\(handler.id)", "\(ledger.session)"]) {
      try await handler.call()
    }
    await expectError(.handlerRunning) { try await elsewhere.handler(id: handler.id).call() }
    // It is running, so it is not offered.
    #expect(try await ledger.unfinishedCalls().isEmpty)
    #expect(try await elsewhere.unfinishedCalls().isEmpty)
    gate.open()
    #expect(try await result == 1)
    await ledger.close()
    await elsewhere.close()
  }

  @Test func manySimultaneousCallsOfAOneShotHandlerRunItOnce() async throws {
    let notes = Notes()
    let ledger = try await open { _, _ in
      notes.add("run")
      return 1
    }
    let elsewhere = try await open { _, _ in
      notes.add("run")
      return 1
    }
    let handler = try await ledger.createHandler(Scripted.self).handler
    let wins = await withTaskGroup { group in
      for number in 0..<20 {
        let mine = number.isMultiple(of: 2) ? handler : elsewhere.handler(id: handler.id)
        group.addTask { (try? await mine.call()) != nil }
      }
      return await group.reduce(0) { $1 ? $0 + 1 : $0 }
    }
    #expect(wins == 1 && notes.lines == ["run"])
    await ledger.close()
    await elsewhere.close()
  }

  @Test func aKeyFindsTheHandler() async throws {
    let ledger = try await open()
    let key = try HandlerKey("iq-1")
    let creation = try await ledger.createHandler(Scripted.self, ["name": "first"], key: key)
    guard case .created(let handler) = creation else {
      Issue.record("not created")
      return
    }
    let again = try await ledger.createHandler(Scripted.self, ["name": "second"], key: key)
    guard case .exists(let same, let record) = again else {
      Issue.record("created twice")
      return
    }
    #expect(same == handler && ledger.handler(forKey: key) == handler)
    #expect(record.key == "iq-1" && record.bound["name"]?.payload == Array("\"first\"".utf8))
    #expect(try await ledger.handler(forKey: key).call(as: Scripted.self) == 7)
    await ledger.close()
  }

  @Test func recordsDescribeHandlers() async throws {
    let ledger = try await open()
    let handler = try await ledger.createHandler(
      Scripted.self, ["name": "n", "promise": nil], scopes: ["account-1"], label: "For people"
    ).handler
    let other = try await ledger.createHandler(Nothing.self, repetition: .repeating).handler
    let record = try #require(try await ledger.record(of: handler.id))
    #expect(record.kind == "scripted" && record.status == .active && record.repetition == .oneShot)
    #expect(record.scopes == ["account-1"] && record.label == "For people")
    #expect(record.bound.arguments.map(\.name) == ["name"])
    #expect(record.created.session == ledger.session)
    #expect(try await ledger.handlers().map(\.id) == [handler.id, other.id])
    #expect(try await ledger.handlers(inScope: "account-1").map(\.id) == [handler.id])
    #expect(try await ledger.handlers(inScope: "account-2").isEmpty)
    #expect(try await ledger.handlers(ofKind: "nothing").map(\.id) == [other.id])
    try await handler.call()
    let finished = try await handler.record
    await ledger.close()
    let replayed = try BlockingInspector(at: temporary.path).replay()
    #expect(try replayed.handlers().map(\.id) == [other.id])
    let all = try replayed.handlers(includesClosed: true)
    #expect(all.map(\.id) == [handler.id, other.id])
    #expect(all.first == finished)
  }

  // MARK: Recursion

  @Test func aHandlerDoesNotCallItself() async throws {
    let ledger = try await open { scripted, call in
      try await (scripted.other ?? call.handler).call()
      return 1
    }
    let handler = try await ledger.createHandler(Scripted.self, repetition: .repeating).handler
    await expectError(.handlerRecursion, naming: ["\(handler.id)"]) { try await handler.call() }
    // By way of another.
    let first = try await ledger.createHandler(Scripted.self, repetition: .repeating).handler
    let second = try await ledger.createHandler(
      Scripted.self, ["other": first], repetition: .repeating
    ).handler
    try await first.rebind(["other": second])
    await expectError(.handlerRecursion, naming: ["\(first.id)"]) { try await first.call() }
    #expect(try await first.record?.status == .active)
    #expect(try await ledger.unfinishedCalls().isEmpty)
    await ledger.close()
  }

  @Test func tasksThatAHandlerLeftBehindMayCallItLater() async throws {
    let gate = Gate()
    let later = Notes()
    let ledger = try await open { _, call in
      guard later.lines.isEmpty else { return 2 }
      let handler = call.handler
      Task {
        await gate.pass()
        later.add("\((try? await handler.call(as: Scripted.self)) ?? 0)")
        await gate.pass()
      }
      later.add("begun")
      return 1
    }
    let handler = try await ledger.createHandler(Scripted.self, repetition: .repeating).handler
    #expect(try await handler.call(as: Scripted.self) == 1)
    gate.open()
    await gate.arrival(2)
    #expect(later.lines == ["begun", "2"])
    await ledger.close()
  }

  // MARK: Cancellation

  @Test func aCancelledCallIsGivenBackAndOfferedAgain() async throws {
    let gate = Gate()
    let ledger = try await open { scripted, call in
      if call.attempt == 1 {
        await gate.pass()
        try Task.checkCancellation()
      }
      if let promise = scripted.promise { try call.fulfill(promise, call.attempt) }
      return call.attempt
    }
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(Scripted.self, ["promise": promise]).handler
    let task = Task { try await handler.call() }
    await gate.arrival()
    task.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    let unfinished = try await ledger.unfinishedCalls()
    #expect(unfinished.map(\.handler) == [handler.id])
    #expect(unfinished.first?.release == .cancelled && unfinished.first?.attempt == 1)
    let result = try await ledger.retry(try #require(unfinished.first))
    #expect(result.attempt == 2 && result.call == unfinished.first?.id)
    #expect(try await promise.consume() == 2)
    await expectError(.handlerFinished) { try await ledger.retry(unfinished[0]) }
    await ledger.close()
  }

  @Test func aFinishIsNotCancelled() async throws {
    let gate = Gate()
    let ledger = try await open { scripted, call in
      await gate.pass()
      if let promise = scripted.promise { try call.fulfill(promise, 1) }
      return 5
    }
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(Scripted.self, ["promise": promise]).handler
    let task = Task { try await handler.call(as: Scripted.self) }
    await gate.arrival()
    task.cancel()
    gate.open()
    #expect(try await task.value == 5)
    #expect(try await promise.consume() == 1)
    await ledger.close()
  }
}

extension Ledger {
  /// The payloads of all events of a kind.
  func payloads<Payload: EventPayload>(of type: Payload.Type) async throws -> [Payload] {
    let head = try await catchUp()
    var payloads: [Payload] = []
    for try await event in events(after: .start) {
      if event.kind == Payload.kind { payloads.append(try Payload(decoding: event.payload)) }
      if event.position == head { break }
    }
    return payloads
  }
}
