import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// Answers that are delivered again, because the session that got them first did not finish the call.
@Suite(.timeLimit(.minutes(10)))
struct TakeOverTests {
  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  private func open(
    as role: SessionRole = .app, _ code: @escaping Scripted.Code
  ) async throws -> Ledger {
    try await temporary.open(as: role) { registry in
      try registry.register(Nothing.self)
      try registry.register(Scripted.self) { Scripted.Script(code: code) }
    }
  }

  /// The first attempt waits at the gate, and fails if its task is cancelled there.
  private func cancellable(_ gate: Gate, _ notes: Notes = Notes()) -> Scripted.Code {
    { scripted, call in
      notes.add("\(scripted.name ?? "-") \(call.attempt)")
      if call.attempt == 1 {
        await gate.pass()
        try Task.checkCancellation()
      }
      if let promise = scripted.promise { try call.fulfill(promise, call.attempt) }
      return call.attempt
    }
  }

  /// Makes a handler whose first call, with the name `first`, is given back.
  private func giveBack(
    in ledger: Ledger, at gate: Gate, repetition: HandlerRepetition = .oneShot
  ) async throws -> (handler: DurableHandler, promise: DurablePromise<Int>) {
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(
      Scripted.self, ["promise": promise], repetition: repetition
    ).handler
    let call = Task { try await handler.call(["name": "first"]) }
    await gate.arrival()
    call.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await call.value }
    return (handler, promise)
  }

  @Test func aCallThatWasGivenBackIsTakenOverWithItsOwnArguments() async throws {
    let (gate, notes) = (Gate(), Notes())
    let ledger = try await open(cancellable(gate, notes))
    let (handler, promise) = try await giveBack(in: ledger, at: gate)
    let left = try #require(try await ledger.unfinishedCalls().first)
    let result = try await handler.call(["name": "second"])
    #expect(result.attempt == 2 && result.call == left.id)
    #expect(try result.value(as: Int.self) == 2)
    #expect(notes.lines == ["first 1", "first 2"])
    #expect(try await promise.consume() == 2)
    #expect(try await ledger.payloads(of: HandlerCallFinished.self).count == 1)
    await expectError(.handlerFinished) { try await handler.call() }
    await ledger.close()
  }

  @Test func aCallWithATypeTakesOverToo() async throws {
    let gate = Gate()
    let ledger = try await open(cancellable(gate))
    let (handler, _) = try await giveBack(in: ledger, at: gate)
    await expectError(.typeMismatch) { try await handler.call(as: Nothing.self) }
    #expect(try await handler.call(as: Scripted.self) == 2)
    await ledger.close()
  }

  enum End: CaseIterable, Sendable { case closed, frozen }

  @Test(arguments: End.allCases)
  func aCallOfASessionThatWentAwayIsTakenOver(end: End) async throws {
    let gate = Gate()
    let notes = Notes()
    let ledger = try await open(cancellable(gate))
    let elsewhere = try await open(as: .appExtension, cancellable(.opened, notes))
    let handler = try await ledger.createHandler(Scripted.self).handler
    let call = Task { try await handler.call(["name": "first"]) }
    await gate.arrival()
    switch end {
    case .closed: await ledger.close()
    case .frozen: try await ledger.freeze()
    }
    let there = elsewhere.handler(id: handler.id)
    #expect(try await there.call(as: Scripted.self, ["name": "second"]) == 2)
    #expect(notes.lines == ["first 2"])
    gate.open()
    if end == .frozen { try await ledger.unfreeze() }
    // Its end comes too late.
    await expectError(end == .closed ? .closed : .superseded) { try await call.value }
    await ledger.close()
    await elsewhere.close()
  }

  @Test func aCallWhoseEndCouldNotBeWrittenIsTakenOver() async throws {
    let isSmall = Flag()
    var configuration = LedgerConfiguration()
    configuration.sizeLimitInBytes = 8 << 20
    try configuration.handlers.register(Scripted.self) {
      Scripted.Script { scripted, call in
        let made = try call.createPromise(of: [UInt8].self)
        try call.fulfill(made, [UInt8](repeating: 1, count: isSmall.isSet ? 1_000 : 6 << 20))
        return call.attempt
      }
    }
    let ledger = try await temporary.open(configuration: configuration)
    let handler = try await ledger.createHandler(Scripted.self).handler
    await expectError(.ledgerFull) { try await handler.call() }
    isSmall.set()
    #expect(try await handler.call(as: Scripted.self) == 2)
    await ledger.close()
  }

  @Test func ofManyDeliveriesOneRuns() async throws {
    let (gate, notes) = (Gate(), Notes())
    let ledger = try await open(cancellable(gate))
    let (handler, promise) = try await giveBack(in: ledger, at: gate)
    var others: [Ledger] = []
    for _ in 0..<4 {
      others.append(try await open(as: .appExtension, cancellable(.opened, notes)))
    }
    let codes = await withTaskGroup { group in
      for ledger in others {
        let handler = ledger.handler(id: handler.id)
        for _ in 0..<3 {
          group.addTask { () -> LedgerError.Code? in
            do {
              try await handler.call()
              return nil
            } catch {
              return (error as? LedgerError)?.code ?? .internalInconsistency
            }
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes.count { $0 == nil } == 1)
    #expect(codes.allSatisfy { $0 == nil || $0 == .handlerRunning || $0 == .handlerFinished })
    #expect(notes.lines == ["first 2"])
    #expect(try await promise.consume() == 2)
    for ledger in others { await ledger.close() }
    await ledger.close()
  }

  @Test func aRepeatingHandlerIsCalledAnew() async throws {
    let (gate, notes) = (Gate(), Notes())
    let ledger = try await open(cancellable(gate, notes))
    let (handler, _) = try await giveBack(in: ledger, at: gate, repetition: .repeating)
    #expect(try await handler.call(as: Scripted.self, ["name": "second"]) == 1)
    #expect(notes.lines == ["first 1", "second 1"])
    #expect(try await ledger.unfinishedCalls().count == 1)
    await ledger.close()
  }

  @Test func aCallThatCannotBeRunHereStays() async throws {
    let gate = Gate()
    let ledger = try await open(cancellable(gate))
    let (handler, _) = try await giveBack(in: ledger, at: gate)
    let elsewhere = try await temporary.open(as: .appExtension) { registry in
      try registry.register(Nothing.self)
    }
    await expectError(.handlerUnregistered) {
      try await elsewhere.handler(id: handler.id).call()
    }
    #expect(try await handler.call(as: Scripted.self) == 2)
    await ledger.close()
    await elsewhere.close()
  }
}
