import PromiseLedger
import PromiseLedgerSwiftTesting
import PromiseLedgerTestSupport
import Testing

extension ExactEventTests {
  fileprivate struct Writing: LedgerHandler {
    static let kind = "writing"
    let length: Int

    static func text(_ length: Int) -> String { String(repeating: "a", count: length) }

    func run(in call: HandlerCall<Void>) async throws -> String { Self.text(length) }
  }

  fileprivate struct OtherText: Codable, RawRepresentable, Sendable {
    let rawValue: String
  }
}

/// What an expectation can name of an event, and what a difference shows of it.
@Suite(.ledger, .timeLimit(.minutes(5)))
struct ExactEventTests {
  private let tester: LedgerTester

  init() throws {
    tester = try LedgerTester.current
  }

  /// The difference from some expected events, in lines.
  private func difference(
    _ reaction: LedgerReaction<some Sendable>, _ expected: ExpectedEvent...
  ) throws -> [String] {
    let number = expected.count
    let difference = try #require(
      #expect(throws: EventDifference.self) {
        switch number {
        case 1: try reaction.then(expected[0])
        case 2: try reaction.then(expected[0], expected[1])
        default: try reaction.then(expected[0], expected[1], expected[2])
        }
      })
    return difference.description.split(separator: "\n").dropFirst().map(String.init)
  }

  // MARK: Handlers

  private func app(_ code: @escaping Scripted.Code) async throws -> LedgerProcess {
    var handlers = HandlerRegistry()
    try handlers.register(Scripted.self) { Scripted.Script(code: code) }
    return try await tester.app(handlers)
  }

  @Test func aRefusedEffectMustBeNamed() async throws {
    let app = try await app { parameters, call in
      if let promise = parameters.promise { try call.fulfill(promise, 1) }
      return 7
    }
    let promise = try await app.ledger.createPromise(of: Int.self, label: "the price")
    try await promise.fulfill(1)
    let handler = try await app.ledger.createHandler(
      Scripted.self, ["promise": promise], label: "answer"
    ).handler
    let reaction = try await tester.when { try await handler.call() }
    try reaction.then(
      .handlerCallStarted(handler),
      .handlerCallFinished(handler, .returned, refusing: [.fulfillPromise: .alreadyResolved]))
    let started = ExpectedEvent.handlerCallStarted(handler)
    #expect(
      try difference(reaction, started, .handlerCallFinished(handler, .returned)).suffix(2) == [
        "  - handlerCallFinished of answer, outcome: returned",
        "  + handlerCallFinished of answer, attempt: 1, outcome: returned, type: int, value: 7, "
          + "refused: fulfillPromise (alreadyResolved) of the price",
      ])
    _ = try difference(
      reaction, started, .handlerCallFinished(handler, refusing: [.fulfillPromise: .abandoned]))
    _ = try difference(
      reaction, started, .handlerCallFinished(handler, refusing: [.rejectPromise: .alreadyResolved])
    )
    _ = try difference(
      reaction, started,
      .handlerCallFinished(
        handler,
        refusing: [.fulfillPromise: .alreadyResolved, .fulfillPromise: .alreadyResolved]))
  }

  @Test func anEffectThatWasCarriedOutIsNotRefused() async throws {
    let app = try await app { parameters, call in
      if let promise = parameters.promise { try call.fulfill(promise, 1) }
      return 7
    }
    let promise = try await app.ledger.createPromise(of: Int.self)
    let handler = try await app.ledger.createHandler(Scripted.self, ["promise": promise]).handler
    let reaction = try await tester.when { try await handler.call() }
    try reaction.then(
      .handlerCallStarted(handler), .promiseResolved(promise, .fulfilled(1)),
      .handlerCallFinished(handler, .returned))
    _ = try difference(
      reaction, .handlerCallStarted(handler), .promiseResolved(promise, .fulfilled(1)),
      .handlerCallFinished(handler, .returned, refusing: [.fulfillPromise: .alreadyResolved]))
  }

  /// Also one that is so large that it is stored beside its event.
  @Test(arguments: [7, 10_000])
  func aReturnedValueCanBeExpected(length: Int) async throws {
    var handlers = HandlerRegistry()
    try handlers.register(Writing.self)
    let app = try await tester.app(handlers)
    let handler = try await app.ledger.createHandler(Writing(length: length)).handler
    let reaction = try await tester.when { try await handler.call() }
    let started = ExpectedEvent.handlerCallStarted(handler)
    let text = Writing.text(length)
    try reaction.then(started, .handlerCallFinished(handler, returning: text))
    _ = try difference(reaction, started, .handlerCallFinished(handler, returning: text + "b"))
    // Its bytes are the same.
    let other = OtherText(rawValue: text)
    _ = try difference(reaction, started, .handlerCallFinished(handler, returning: other))
    _ = try difference(reaction, started, .handlerCallFinished(handler, .failed))
    let impossible = try difference(
      reaction, started, .handlerCallFinished(handler, returning: Double.nan))
    #expect(impossible.contains { $0.contains("which can never come") })
  }

  @Test func anErrorOfAHandlerIsShown() async throws {
    let app = try await app { _, _ in throw ScriptedError(text: "closed") }
    let handler = try await app.ledger.createHandler(Scripted.self).handler
    let reaction = try await tester.when { _ = try? await handler.call() }
    try reaction.then(.handlerCallStarted(handler), .handlerCallFinished(handler, .failed))
    let lines = try difference(reaction, .handlerCallStarted(handler))
    #expect(lines.last?.contains("outcome: failed, error: ") == true)
    #expect(lines.last?.contains("closed") == true)
  }

  @Test func boundArgumentsCanBeExpected() async throws {
    let app = try await app { _, _ in 0 }
    let creation = try await tester.when {
      try await app.ledger.createHandler(Scripted.self, ["name": "first"]).handler
    }
    let handler = try creation.answer
    try creation.then(.handlerCreated(handler, arguments: ["name": "first"]))
      .then(.handlerCreated(handler))
    #expect(
      try difference(creation, .handlerCreated(handler, arguments: ["name": "other"])) == [
        "  - handlerCreated of handler 1, argument: name = string \"other\"",
        "  + handlerCreated of handler 1, kind: scripted, argument: name = string \"first\"",
      ])
    _ = try difference(creation, .handlerCreated(handler, arguments: [:]))

    let text = String(repeating: "long ", count: 1_000)
    let rebinding = try await tester.when { try await handler.rebind(["name": text]) }
    try rebinding.then(.handlerRebound(handler, arguments: ["name": text]))
    _ = try difference(rebinding, .handlerRebound(handler, arguments: ["name": "first"]))
    let promise = try await app.ledger.createPromise(of: Int.self)
    try await tester.when { try await handler.merge(["promise": promise]) }
      .then(.handlerRebound(handler, arguments: ["name": text, "promise": promise]))
  }

  // MARK: Promises

  @Test func aDeadlineAndTagsCanBeExpected() async throws {
    let ledger = try await tester.app().ledger
    let deadline = tester.clock.now() + .seconds(60) + .nanoseconds(1)
    let creation = try await tester.when {
      try await ledger.createPromise(
        of: Int.self, label: "price", tags: ["shop", "today"], deadline: deadline)
    }
    let promise = try creation.answer
    try creation.then(.promiseCreated(promise))
      .then(.promiseCreated(promise, deadline: deadline, tags: ["shop", "today"]))
    #expect(
      try difference(creation, .promiseCreated(promise, tags: ["shop"])) == [
        "  - promiseCreated of price, type: int, tag: shop",
        "  + promiseCreated of price, type: int, tag: shop, tag: today, "
          + "deadline: \(deadline) and 1 ns",
      ])
    _ = try difference(creation, .promiseCreated(promise, tags: []))
    _ = try difference(
      creation, .promiseCreated(promise, deadline: deadline + .nanoseconds(1)))
    let other = try ledger.promise(id: promise.id, of: String.self)
    _ = try difference(creation, .promiseCreated(other))
  }

  @Test func theFulfilmentOfAJointCanBeExpected() async throws {
    let ledger = try await tester.app().ledger
    let price = try await ledger.createPromise(of: Int.self, label: "price")
    let both = try await ledger.all([price], label: "both")
    let first = try await ledger.any([price], label: "first")
    let reaction = try await tester.when { try await price.fulfill(7) }
    try reaction.thenAmongOthers(.promiseResolved(both, .fulfilled([7])))
    try reaction.thenAmongOthers(.promiseResolved(first, .fulfilled(7)))
    let lines = try difference(
      reaction, .promiseResolved(price, .fulfilled(8)), .promiseResolved(both, .timedOut),
      .promiseResolved(first, .cancelled(reason: "")))
    #expect(
      Set(lines.filter { $0.hasPrefix("  + ") }) == [
        "  + promiseResolved of price, outcome: fulfilled with 7",
        "  + promiseResolved of both, outcome: fulfilled, value: those of its inputs",
        "  + promiseResolved of first, outcome: fulfilled, value: that of price",
      ])
  }

  /// No event that is left tells that they are joints.
  @Test func theFulfilmentOfAJointCanBeExpectedAfterACompactionToo() async throws {
    let ledger = try await tester.app().ledger
    let price = try await ledger.createPromise(of: Int.self)
    let both = try await ledger.all([price])
    let first = try await ledger.any([price])
    let record = try await first.record
    let creation = try #require(record?.created.position)
    var policy = CompactionPolicy()
    policy.eventRetention = .zero
    policy.minimumEventCount = 0
    #expect(try await ledger.compact(policy).deletedThrough >= creation)
    let reaction = try await tester.when { try await price.fulfill(7) }
    try reaction.thenAmongOthers(.promiseResolved(both, .fulfilled([7])))
    try reaction.thenAmongOthers(.promiseResolved(first, .fulfilled(7)))
  }

  // MARK: Work

  @Test func aChangeOfWorkCanBeExpected() async throws {
    var handlers = HandlerRegistry()
    try handlers.register(ScriptedWork.self) { ScriptedWork.Script { _, _ in 7 } }
    let ledger = try await tester.worker(handlers).ledger
    let work = try await ledger.start(ScriptedWork(), label: "work")
    let parking = try await tester.when { try await ledger.parkWork(work.id) }
    try parking.then(.workAmended(work, .parked))
    #expect(
      try difference(parking, .workAmended(work, .resumed)) == [
        "  - workAmended of work, parking: resumed", "  + workAmended of work, parking: parked",
      ])
    let retrying = try await tester.when { try await ledger.retryWork(work.id) }
    try retrying.then(.workAmended(work, .resumed))
    let lines = try difference(retrying, .workAmended(work, .parked))
    #expect(lines.last == "  + workAmended of work, parking: resumed, trigger: now")
  }

  @Test func theValueOfAStepCanBeExpected() async throws {
    var handlers = HandlerRegistry()
    try handlers.register(ScriptedWork.self) {
      ScriptedWork.Script { _, call in try await call.step("one") { _ in 7 } }
    }
    let worker = try await tester.worker(handlers)
    let work = try await worker.ledger.start(ScriptedWork(), label: "work")
    let reaction = try await tester.when { try await tester.run(worker, until: work) }
    let (started, resolved) = (
      ExpectedEvent.workStarted(work), ExpectedEvent.promiseResolved(work, .fulfilled(7))
    )
    try reaction.then(started, .workStepFinished(work, "one", returning: 7), resolved)
    let lines = try difference(
      reaction, started, .workStepFinished(work, "one", returning: 8), resolved)
    #expect(
      lines.contains(
        "  + workStepFinished of work, step: one, outcome: value, type: int, value: 7"))
    _ = try difference(
      reaction, started, .workStepFinished(work, "one", returning: UInt(7)), resolved)
    _ = try difference(
      reaction, started,
      .workStepFinished(work, "one", refusing: [.fulfillPromise: .alreadyResolved]), resolved)
  }
}
