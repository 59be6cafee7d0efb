import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// Calls whose session froze, closed or died: given back, offered, and run again by one.
@Suite(.timeLimit(.minutes(10)))
struct UnfinishedCallTests {
  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  private func open(
    as role: SessionRole = .app, policy: LedgerConfiguration.UnfinishedCallPolicy = .keep,
    _ code: @escaping Scripted.Code
  ) async throws -> Ledger {
    try await temporary.open(as: role, policy: policy) { registry in
      try registry.register(Scripted.self) { Scripted.Script(code: code) }
    }
  }

  /// Fulfils the promise with the number of the attempt, behind a gate.
  private func resolving(_ gate: Gate) -> Scripted.Code {
    { scripted, call in
      await gate.pass()
      if let promise = scripted.promise { try call.fulfill(promise, call.attempt) }
      return call.attempt
    }
  }

  /// Calls a handler that resolves a promise, until its code is at its gate.
  private func beginCall(
    in ledger: Ledger, _ gate: Gate
  ) async throws -> (promise: DurablePromise<Int>, call: Task<HandlerResult, any Error>) {
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(Scripted.self, ["promise": promise]).handler
    let call = Task { try await handler.call() }
    await gate.arrival()
    return (promise, call)
  }

  /// Closes a ledger in the middle of a call, whose code ends afterwards.
  private func closeDuringCall(
    _ ledger: Ledger, _ gate: Gate
  ) async throws -> DurablePromise<Int> {
    let (promise, call) = try await beginCall(in: ledger, gate)
    await ledger.close()
    gate.open()
    _ = await call.result
    return promise
  }

  @Test func aFrozenSessionGivesItsCallsBackAndMayStillFinishThem() async throws {
    let gate = Gate()
    let ledger = try await open(resolving(gate))
    let elsewhere = try await open(as: .appExtension) { _, _ in 0 }
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(Scripted.self, ["promise": promise]).handler
    let call = Task { try await handler.call(as: Scripted.self) }
    await gate.arrival()
    try await ledger.freeze()
    let unfinished = try await elsewhere.unfinishedCalls()
    #expect(unfinished.map(\.handler) == [handler.id] && unfinished[0].release == .frozen)
    // The code continues; its end waits for the ledger, and counts, because the call was not run
    // again.
    gate.open()
    try await ledger.unfreeze()
    #expect(try await call.value == 1)
    #expect(try await promise.consume() == 1)
    #expect(try await elsewhere.unfinishedCalls().isEmpty)
    await ledger.close()
    await elsewhere.close()
  }

  @Test func aLateFinishIsSupersededAndItsEffectsAreDropped() async throws {
    let gate = Gate()
    let ledger = try await open(resolving(gate))
    let openGate = Gate.opened
    let elsewhere = try await open(as: .appExtension, resolving(openGate))
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(Scripted.self, ["promise": promise]).handler
    let call = Task { try await handler.call() }
    await gate.arrival()
    try await ledger.freeze()
    let results = try await elsewhere.retryUnfinishedCalls()
    #expect(try results.values.map { try $0.get().attempt } == [2])
    try await ledger.unfreeze()
    gate.open()
    await expectError(.superseded, naming: ["\(handler.id)", "attempt 1"]) {
      try await call.value
    }
    #expect(try await promise.consume() == 2)
    #expect(try await ledger.payloads(of: HandlerCallFinished.self).count == 1)
    await ledger.close()
    await elsewhere.close()
  }

  @Test func aCallIsRunAgainByOneOfMany() async throws {
    let gate = Gate()
    let ledger = try await open(resolving(gate))
    let notes = Notes()
    var others: [Ledger] = []
    for _ in 0..<4 {
      others.append(
        try await open(as: .appExtension) { scripted, call in
          notes.add("\(call.attempt)")
          if let promise = scripted.promise { try call.fulfill(promise, call.attempt) }
          return call.attempt
        })
    }
    let (_, call) = try await beginCall(in: ledger, gate)
    await ledger.close()
    gate.open()
    await expectError(.closed) { try await call.value }
    let unfinished = try #require(try await others[0].unfinishedCalls().first)
    #expect(unfinished.release == .closed)
    let wins = await withTaskGroup { group in
      for ledger in others {
        for _ in 0..<3 { group.addTask { (try? await ledger.retry(unfinished)) != nil } }
      }
      return await group.reduce(0) { $1 ? $0 + 1 : $0 }
    }
    #expect(wins == 1 && notes.lines == ["2"])
    #expect(try await others[0].payloads(of: HandlerCallFinished.self).count == 1)
    for ledger in others { await ledger.close() }
  }

  @Test func aCallThatFollowsFromAnotherIsNotRunIfItEndedElsewhere() async throws {
    let gate = Gate()
    let notes = Notes()
    let ledger = try await open { scripted, call in
      notes.add("\(scripted.name ?? "-") \(call.attempt)")
      if scripted.name == "slow" { await gate.pass() }
      if scripted.name == "first" {
        let key = try ["slow", "taken", "left"].map { try HandlerKey($0) }
        for key in key { try call.scheduleCall(of: call.ledger.handler(forKey: key)) }
      }
      return 1
    }
    let elsewhere = try await open(as: .appExtension) { _, _ in 2 }
    for name in ["slow", "taken", "left"] {
      try await ledger.createHandler(Scripted.self, ["name": name], key: HandlerKey(name))
    }
    let first = try await ledger.createHandler(Scripted.self, ["name": "first"]).handler
    let call = Task { try await first.call() }
    await gate.arrival()
    // All three are given back; one of them is run elsewhere.
    try await ledger.freeze()
    let offered = try await elsewhere.unfinishedCalls()
    #expect(offered.count == 3 && offered.allSatisfy { $0.release == .frozen })
    try await elsewhere.retry(offered[1])
    try await ledger.unfreeze()
    gate.open()
    #expect(try await call.value.effects.map(\.verdict) == [.done, .done, .done])
    #expect(notes.lines == ["first 1", "slow 1", "left 2"])
    #expect(try await ledger.unfinishedCalls().isEmpty)
    let finished = try await ledger.payloads(of: HandlerCallFinished.self)
    #expect(finished.map(\.end.attempt).sorted() == [1, 1, 2, 2])
    await ledger.close()
    await elsewhere.close()
  }

  /// Waits at the gate of each attempt, and does not survive a cancellation there.
  private func cancellable(_ gates: [Gate]) -> Scripted.Code {
    { _, call in
      await gates[call.attempt - 1].pass()
      try Task.checkCancellation()
      return call.attempt
    }
  }

  /// Cancels a call while its code waits at a gate.
  private func giveBack(
    at gate: Gate, in ledger: Ledger, _ call: @escaping @Sendable () async throws -> HandlerResult
  ) async throws -> UnfinishedCall {
    let task = Task { try await call() }
    await gate.arrival()
    task.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    return try #require(try await ledger.unfinishedCalls().first)
  }

  @Test func anAttemptThatRunsIsNotTaken() async throws {
    let gates = [Gate(), Gate()]
    let ledger = try await open(cancellable(gates))
    let elsewhere = try await open(as: .appExtension, cancellable(gates))
    let handler = try await ledger.createHandler(Scripted.self, repetition: .repeating).handler
    let unfinished = try await giveBack(at: gates[0], in: ledger) { try await handler.call() }
    let retried = Task { try await ledger.retry(unfinished) }
    await gates[1].arrival()
    #expect(try await ledger.unfinishedCalls().isEmpty)
    #expect(try await elsewhere.unfinishedCalls().isEmpty)
    for other in [ledger, elsewhere] {
      await expectError(.handlerRunning, naming: ["\(unfinished.id)"]) {
        try await other.retry(unfinished)
      }
    }
    gates[1].open()
    #expect(try await retried.value.attempt == 2)
    await ledger.close()
    await elsewhere.close()
  }

  @Test func anOldAttemptIsSuperseded() async throws {
    let gates = [Gate(), Gate(), Gate()]
    let ledger = try await open(cancellable(gates))
    let handler = try await ledger.createHandler(Scripted.self).handler
    let first = try await giveBack(at: gates[0], in: ledger) { try await handler.call() }
    let second = try await giveBack(at: gates[1], in: ledger) { try await ledger.retry(first) }
    #expect(first.attempt == 1 && second.attempt == 2 && first.id == second.id)
    await expectError(.superseded, naming: ["attempt 1"]) { try await ledger.retry(first) }
    gates[2].open()
    #expect(try await ledger.retry(second).value(as: Int.self) == 3)
    await ledger.close()
  }

  // MARK: The policy

  @Test func thePolicyRunsThemAgainAtOpen() async throws {
    let gate = Gate()
    let ledger = try await open(resolving(gate))
    let promise = try await closeDuringCall(ledger, gate)
    let openGate = Gate.opened
    let later = try await open(policy: .retry, resolving(openGate))
    let mine = try later.promise(id: promise.id, of: Int.self)
    #expect(try await mine.consume() == 2)
    #expect(try await later.unfinishedCalls().isEmpty)
    await later.close()
  }

  @Test func thePolicyRunsThemAgainWhenAnotherSessionGivesThemBack() async throws {
    let gate = Gate()
    let openGate = Gate.opened
    let watching = try await open(as: .appExtension, policy: .retry, resolving(openGate))
    let ledger = try await open(resolving(gate))
    let (promise, call) = try await beginCall(in: ledger, gate)
    try await ledger.freeze()
    let there = try watching.promise(id: promise.id, of: Int.self)
    #expect(try await there.outcome == .fulfilled(2))
    gate.open()
    try await ledger.unfreeze()
    await expectError(.superseded) { try await call.value }
    await ledger.close()
    await watching.close()
  }

  @Test func thePolicyRunsThemAgainAtUnfreeze() async throws {
    let gate = Gate()
    let notes = Notes()
    let ledger = try await open(as: .app, policy: .retry) { scripted, call in
      notes.add("\(call.attempt)")
      if call.attempt == 1 {
        // Its process would be gone; here its code ends without an end.
        await gate.pass()
        throw CancellationError()
      }
      if let promise = scripted.promise { try call.fulfill(promise, call.attempt) }
      return call.attempt
    }
    let (promise, call) = try await beginCall(in: ledger, gate)
    try await ledger.freeze()
    call.cancel()
    gate.open()
    try await ledger.unfreeze()
    _ = await call.result
    // The code of the first attempt ended after or before the watch checked; a second freeze makes
    // it check again.
    try await ledger.freeze()
    try await ledger.unfreeze()
    #expect(try await promise.consume() == 2)
    #expect(notes.lines == ["1", "2"])
    await ledger.close()
  }

  @Test(.timeLimit(.minutes(5)))
  func thePolicyOutlivesFreezesOfASessionThatDoesNotWait() async throws {
    let gate = Gate()
    let openGate = Gate.opened
    var configuration = LedgerConfiguration()
    configuration.unfinishedCallPolicy = .retry
    configuration.waitsWhileFrozen = false
    let code = resolving(openGate)
    try configuration.handlers.register(Scripted.self) { Scripted.Script(code: code) }
    let watching = try await temporary.open(as: .appExtension, configuration: configuration)
    // The watch checks while the session is frozen in some of these.
    for _ in 0..<30 {
      try await watching.freeze()
      try await watching.unfreeze()
    }
    let ledger = try await open(resolving(gate))
    let promise = try await closeDuringCall(ledger, gate)
    let there = try watching.promise(id: promise.id, of: Int.self)
    #expect(try await there.outcome == .fulfilled(2))
    await watching.close()
  }

  @Test(.timeLimit(.minutes(5))) func thePolicySeesWhatASnapshotHides() async throws {
    let gate = Gate()
    let openGate = Gate.opened
    let watching = try await open(as: .appExtension, policy: .retry, resolving(openGate))
    let ledger = try await open(resolving(gate))
    let (promise, call) = try await beginCall(in: ledger, gate)
    try await watching.freeze()
    await ledger.close()
    gate.open()
    _ = await call.result
    // The only remains of the call are in the snapshot.
    let compacting = try await open(as: .operator) { _, _ in 0 }
    try await compacting.compact(CompactionSample.events)
    await compacting.close()
    try await watching.unfreeze()
    let there = try watching.promise(id: promise.id, of: Int.self)
    #expect(try await there.outcome == .fulfilled(2))
    await watching.close()
  }

  @Test(.timeLimit(.minutes(5))) func theWatchOfThePolicyKeepsNoLedger() async throws {
    let gate = Gate()
    let ledger = try await open(resolving(gate))
    let promise = try await closeDuringCall(ledger, gate)
    let openGate = Gate.opened
    var watching: Ledger? = try await open(policy: .retry, resolving(openGate))
    weak let reference = watching
    // The watch has looked, and found the call.
    #expect(try await watching?.promise(id: promise.id, of: Int.self).outcome == .fulfilled(2))
    watching = nil
    while reference != nil, !Task.isCancelled { await Task.yield() }
  }

  @Test func aLedgerWithThePolicyEndsWithItsLastReference() async throws {
    var ledger: Ledger? = try await open(policy: .retry) { _, _ in 1 }
    let session = try #require(ledger?.session)
    ledger = nil
    let later = try await open { _, _ in 1 }
    var position = Position.start
    while try await later.engine.read({ $0.sessions[session]?.isEnded }) != true {
      position = try await later.catchUp()
      try await later.engine.advance(past: position)
    }
    await later.close()
  }
}
