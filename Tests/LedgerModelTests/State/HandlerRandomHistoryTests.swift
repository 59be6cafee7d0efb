import LedgerModelTestSupport
import LedgerTestSupport
import Testing

@testable import LedgerModel

/// Random commands on handlers in random groups, some of whose commits fail: every answer is the
/// oracle's, and the merged state is the state that a replay computes from the frames.
@Suite(.timeLimit(.minutes(10))) struct HandlerRandomHistoryTests {
  struct Writer {
    var generator: SeededGenerator
    var ledger = PureLedger()
    var oracle = HandlerOracle()
    /// The answers, and those of the oracle.
    var answers: [(command: String, given: String, expected: String)] = []
    private var sessionCount = 0
    private var callCount = 0
    private var current = 1

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func writeGroup() {
      let open = oracle.sessions.filter { $0.value != .ended }.keys.sorted()
      current = open.randomElement(using: &generator) ?? newSession()
      if open.count < 3, generator.chance(1, of: 3) { current = newSession() }
      if generator.chance(1, of: 6) {
        current = Int.random(in: 1...sessionCount, using: &generator)
      }
      ledger.context.session = .numbered(current)
      let before = oracle
      var decision = ledger.decision()
      if oracle.sessions[current] == nil { openSession(in: &decision) }
      for _ in 0..<Int.random(in: 1...10, using: &generator) { run(in: &decision) }
      if generator.chance(1, of: 6) {
        oracle = before
      } else {
        ledger.keep(decision)
      }
    }

    private mutating func newSession() -> Int {
      sessionCount += 1
      return sessionCount
    }

    private mutating func newCall() -> CallID {
      callCount += 1
      return .numbered(callCount)
    }

    private mutating func openSession(in decision: inout Decision) {
      note("open", "done") { () throws(LedgerError) in
        try decision.run(OpenSession(.sample()))
        return "done"
      }
      oracle.open(current)
    }

    private mutating func note(
      _ command: String, _ expected: String, _ body: () throws(LedgerError) -> String
    ) {
      let given: String
      do throws(LedgerError) {
        given = try body()
      } catch {
        given = "\(error.code)"
      }
      answers.append((command, given, expected))
    }

    private mutating func handler() -> HandlerID {
      .numbered(Int.random(in: 1...8, using: &generator))
    }

    /// A handler, more often one with an open call.
    private mutating func calledHandler() -> HandlerID {
      let called = oracle.handlers.filter { !$0.value.calls.isEmpty }.keys.sorted()
      return generator.chance(2, of: 3)
        ? called.randomElement(using: &generator) ?? handler() : handler()
    }

    /// A call that is open, or any other, with an attempt that may be its newest.
    private mutating func call(of id: HandlerID) -> (CallID, UInt32) {
      let calls = (oracle.handlers[id]?.calls ?? [:]).sorted { $0.key < $1.key }
      guard let call = calls.randomElement(using: &generator), generator.chance(9, of: 10) else {
        return (.numbered(Int.random(in: 1...max(callCount, 1), using: &generator)), 1)
      }
      let isOld = generator.chance(1, of: 6)
      return (call.key, isOld ? call.value.attempt - 1 : call.value.attempt)
    }

    private mutating func run(in decision: inout Decision) {
      let id = handler()
      switch Int.random(in: 0..<24, using: &generator) {
      case 0..<3: create(id, in: &decision)
      case 3..<5: rebind(id, in: &decision)
      case 5..<10: start(id, in: &decision)
      case 10..<13: retry(calledHandler(), in: &decision)
      case 13..<15: release(calledHandler(), in: &decision)
      case 15..<21: finish(calledHandler(), in: &decision)
      case 21: invalidate(id, in: &decision)
      case 22: changeSession(in: &decision)
      default: failHalfWay(in: &decision)
      }
    }

    private mutating func kind() -> String {
      ["greet", "greet", "farewell", "vanished"].randomElement(using: &generator) ?? "greet"
    }

    private mutating func create(_ id: HandlerID, in decision: inout Decision) {
      let (isRepeating, kind) = (generator.chance(2, of: 3), kind())
      let number = Int.random(in: 1...99, using: &generator)
      let command = CreateHandler(
        id, isRepeating ? .repeating : .oneShot, kind: kind, scopes: [kind],
        arguments: .sample(["n": number]))
      let expected = oracle.create(id, isRepeating: isRepeating, kind: kind, bound: number)
      note("create", expected) { () throws(LedgerError) in try decision.run(command).verdict }
    }

    /// The position that a writer expects the binding at, right or not.
    private mutating func expectation(
      _ id: HandlerID, in decision: Decision
    ) -> (position: Position, isPresent: Bool) {
      let present = (try? decision.handler(id))?.bound.position ?? .start
      return generator.chance(1, of: 6)
        ? (Position(rawValue: present.rawValue + 1), false) : (present, true)
    }

    private mutating func rebind(_ id: HandlerID, in decision: inout Decision) {
      let number = Int.random(in: 1...99, using: &generator)
      let (position, isPresent) = expectation(id, in: decision)
      let expected = oracle.rebind(id, bound: number, expectsPresent: isPresent)
      let command = RebindHandler(
        id: id, mode: .merged, arguments: .sample(["n": number]), expectedBinding: position)
      note("rebind", expected) { () throws(LedgerError) in try decision.run(command).verdict }
    }

    private mutating func start(_ id: HandlerID, in decision: inout Decision) {
      let number = Int.random(in: 1...99, using: &generator)
      let (position, isPresent) = expectation(id, in: decision)
      let call = newCall()
      let command = StartCall(
        id: id, call: call, arguments: .sample(["n": number]), expectedBinding: position,
        runnableKinds: HandlerOracle.knownKinds)
      let expected = oracle.start(
        id, call, argument: number, expectsPresent: isPresent, by: current)
      note("start", expected) { () throws(LedgerError) in try decision.run(command).verdict }
    }

    private mutating func retry(_ id: HandlerID, in decision: inout Decision) {
      let (call, attempt) = call(of: id)
      let mayTakeOwn = generator.chance(1, of: 2)
      let expected = oracle.retry(
        id, call, after: attempt, mayTakeOwn: mayTakeOwn, by: current)
      let command = RetryCall(
        id: id, call: call, expectedAttempt: attempt, mayTakeOwn: mayTakeOwn)
      note("retry", expected) { () throws(LedgerError) in try decision.run(command).verdict }
    }

    private mutating func release(_ id: HandlerID, in decision: inout Decision) {
      let (call, attempt) = call(of: id)
      let command = ReleaseCall(id: id, call: call, attempt: attempt, reason: .cancelled)
      let expected = oracle.release(id, call, attempt)
      note("release", expected) { () throws(LedgerError) in try decision.run(command).verdict }
    }

    private mutating func invalidate(_ id: HandlerID, in decision: inout Decision) {
      let runsCode = generator.chance(2, of: 3)
      let call = newCall()
      let number = Int.random(in: 1...99, using: &generator)
      let command = InvalidateHandler(
        id, call, runsCode: runsCode, arguments: .sample(["n": number]))
      let expected = oracle.invalidate(
        id, call, argument: number, runsCode: runsCode, by: current)
      note("invalidate", expected) { () throws(LedgerError) in try decision.run(command).verdict }
    }

    private mutating func finish(_ id: HandlerID, in decision: inout Decision) {
      let (call, attempt) = call(of: id)
      let fails = generator.chance(1, of: 5)
      let effects = (0..<Int.random(in: 0...5, using: &generator)).map { _ in effect() }
      let command = FinishCall(
        id: id, call: call, attempt: attempt, result: fails ? .failure : .void,
        effects: RequestedEffects(
          effects.map(\.command), runnableKinds: HandlerOracle.knownKinds,
          kindsWithInvalidationCode: HandlerOracle.kindsWithCode))
      let (answer, verdicts) = oracle.finish(
        id, call, attempt, fails: fails, effects, by: current)
      note("finish", "\(answer) \(verdicts.map(\.rawValue))") { () throws(LedgerError) in
        switch try decision.run(command) {
        case .finished(let finished):
          "finished \(finished.effects.map(\.verdict.rawValue))"
        case .superseded: "superseded []"
        case .requiredEffectRefused(let effect, _, _): "refused \([effect.verdict.rawValue])"
        }
      }
      // A thrown error comes without verdicts.
      if answer == "sessionEnded", let last = answers.popLast() {
        answers.append((last.command, last.given, answer))
      }
    }

    private mutating func effect() -> HandlerOracle.Effect {
      let promise = PromiseID.numbered(Int.random(in: 1...4, using: &generator))
      let id = handler()
      let isRequired = generator.chance(1, of: 6)
      let action: HandlerOracle.Effect.Action
      switch Int.random(in: 0..<8, using: &generator) {
      case 0..<2: action = .create(promise)
      case 2..<4: action = .resolve(promise)
      case 4: action = .createHandler(id, generator.chance(1, of: 2), kind())
      case 5..<7: action = .call(id, newCall())
      default: action = .invalidate(id, newCall())
      }
      return HandlerOracle.Effect(action: action, isRequired: isRequired)
    }

    private mutating func changeSession(in decision: inout Decision) {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0:
        note("freeze", oracle.freeze(current)) { () throws(LedgerError) in
          try decision.run(FreezeSession())
          return "done"
        }
      case 1:
        note("unfreeze", oracle.unfreeze(current)) { () throws(LedgerError) in
          try decision.run(UnfreezeSession(processID: 1))
          return "done"
        }
      default:
        let session = Int.random(in: 1...sessionCount, using: &generator)
        let reason: SessionClosed.Reason = generator.chance(1, of: 2) ? .closed : .died
        note("end", "done") { () throws(LedgerError) in
          try decision.run(CloseSession(id: .numbered(session), reason: reason))
          return "done"
        }
        oracle.end(session)
      }
    }

    private mutating func failHalfWay(in decision: inout Decision) {
      let ids = [PromiseID.numbered(1_000), .numbered(1_001)]
      note("fail", "invalidArgument") { () throws(LedgerError) in
        try decision.run(RollbackTests.FailHalfWay(ids: ids))
        return "done"
      }
    }
  }

  @Test(arguments: TestAmount.seeds(400))
  func everyAnswerAndTheStateAreTheOracles(seed: UInt64) throws {
    var writer = Writer(seed: seed)
    for _ in 0..<20 { writer.writeGroup() }

    for answer in writer.answers where answer.given != answer.expected {
      Issue.record("seed \(seed): \(answer)")
      return
    }
    #expect(
      HandlerOracle(writer.ledger.state).comparable == writer.oracle.comparable, "seed \(seed)")
    let replayed = try writer.ledger.replayed()
    #expect(replayed.contents == writer.ledger.state.contents, "seed \(seed)")
    #expect(replayed.blocked.isEmpty, "seed \(seed)")
  }

  @Test(arguments: TestAmount.seeds(50, from: 401))
  func noCallIsFinishedTwiceAndNoAttemptIsLeftOut(seed: UInt64) throws {
    var writer = Writer(seed: seed)
    for _ in 0..<30 { writer.writeGroup() }

    var attempts: [CallID: UInt32] = [:]
    var ended: Set<CallID> = []
    for event in try writer.ledger.frames.flatMap({ try $0.events() }) {
      if let invalidated = try event.decode(as: HandlerInvalidated.self), invalidated.runsCode {
        attempts[invalidated.call] = 1
      } else if let started = try event.decode(as: HandlerCallStarted.self) {
        #expect(started.attempt == (attempts[started.call] ?? 0) + 1, "seed \(seed)")
        #expect(!ended.contains(started.call), "seed \(seed)")
        attempts[started.call] = started.attempt
      }
      let finished = try event.decode(as: HandlerCallFinished.self)?.end
      let cleaned = try event.decode(as: HandlerInvalidationFinished.self)?.end
      if let end = finished ?? cleaned {
        #expect(end.attempt == attempts[end.call], "seed \(seed)")
        #expect(ended.insert(end.call).inserted, "seed \(seed)")
      }
    }
  }

  @Test(arguments: TestAmount.seeds(50, from: 451))
  func aReplayThatStopsAnywhereGoesOnToTheSameState(seed: UInt64) throws {
    var writer = Writer(seed: seed)
    for _ in 0..<15 { writer.writeGroup() }

    let cut = Int.random(in: 0...writer.ledger.frames.count, using: &writer.generator)
    #expect(
      try writer.ledger.replayed(stoppingAt: cut).contents == writer.ledger.state.contents,
      "seed \(seed)")
  }

  @Test func theHistoriesDoEverythingThatTheyAreMeantToDo() throws {
    var kinds: Set<EventKind> = []
    var answers: [String: Int] = [:]
    var verdictsSeen: Set<DecidedEffect.Verdict> = []
    for seed in 1...100 as ClosedRange<UInt64> {
      var writer = Writer(seed: seed)
      for _ in 0..<20 { writer.writeGroup() }
      for frame in writer.ledger.frames { kinds.formUnion(try frame.events().map(\.kind)) }
      for answer in writer.answers {
        answers["\(answer.command) \(answer.expected.prefix { $0 != " " })", default: 0] += 1
      }
      for event in try writer.ledger.frames.flatMap({ try $0.events() }) {
        let end = try event.decode(as: HandlerCallFinished.self)?.end
        for effect in end?.report?.effects ?? [] { verdictsSeen.insert(effect.verdict) }
      }
    }
    #expect(kinds.isSuperset(of: EventKind.all.filter { (48...54).contains($0.rawValue) }))
    let expected = [
      "create created", "create exists", "rebind rebound", "rebind changed", "rebind finished",
      "rebind invalidated", "rebind notFound", "start started", "start changed", "start running",
      "start finished", "start invalidated", "start notFound", "start unregistered",
      "start sessionEnded", "retry started", "retry taken", "retry superseded", "retry finished",
      "retry invalidated", "retry notFound", "retry sessionEnded", "release released",
      "release superseded", "release notFound", "finish finished", "finish superseded",
      "finish refused", "finish sessionEnded", "invalidate invalidated", "invalidate already",
      "invalidate finished", "invalidate notFound", "invalidate sessionEnded", "freeze done",
      "freeze sessionEnded", "unfreeze done", "end done", "fail invalidArgument",
    ]
    #expect(expected.filter { answers[$0] == nil } == [])
    let verdicts: [DecidedEffect.Verdict] = [
      .done, .alreadyResolved, .notFound, .exists, .alreadyRunning, .finished, .invalidated,
      .unregistered,
    ]
    #expect(verdicts.filter { !verdictsSeen.contains($0) } == [])
  }
}

extension HandlerOracle.Effect {
  /// The same effect for the ledger.
  fileprivate var command: HandlerEffect {
    switch action {
    case .create(let id): HandlerEffect(.createPromise(CreatePromise(id)), isRequired: isRequired)
    case .resolve(let id):
      HandlerEffect(.resolvePromise(ResolvePromise(id)), isRequired: isRequired)
    case .createHandler(let id, let isRepeating, let kind):
      HandlerEffect(
        .createHandler(
          CreateHandler(id, isRepeating ? .repeating : .oneShot, kind: kind, scopes: [kind])),
        isRequired: isRequired)
    case .call(let id, let call):
      HandlerEffect(.callHandler(id, call, .none), isRequired: isRequired)
    case .invalidate(let id, let call):
      HandlerEffect(.invalidateHandler(id, call, reason: "", .none), isRequired: isRequired)
    }
  }
}
