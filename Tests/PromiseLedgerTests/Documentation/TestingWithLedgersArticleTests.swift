import PromiseLedger
import PromiseLedgerSwiftTesting
import PromiseLedgerTestSupport
import Synchronization
import Testing

/// The request of the story: the handler that settles it, and the server's refusals.
struct AvatarAnswered: LedgerHandler {
  static let kind = "avatar-answered"
  let removal: DurablePromise<Void>
  let refusal: ServerRefusal?

  func run(in call: HandlerCall<AnswerHook>) async throws {
    await call.context.answered()
    if let refusal { try call.reject(removal, refusal) } else { try call.fulfill(removal, ()) }
  }
}

struct ServerRefusal: Error, Codable, Sendable, Equatable {
  let text: String
}

/// What a test does in the middle of the handler.
final class AnswerHook: Sendable {
  private let contents = Mutex<(@Sendable () async -> Void)?>(nil)

  func set(_ body: @escaping @Sendable () async -> Void) { contents.withLock { $0 = body } }
  func answered() async { await contents.withLock { $0.take() }?() }
}

/// The code of the article about testing with ledgers, run word for word.
@Suite(.ledger, .timeLimit(.minutes(5)))
struct TestingWithLedgersArticleTests {
  private let tester: LedgerTester
  private let screen = Notes()
  private let hook = AnswerHook()
  private let refusal = ServerRefusal(text: "Only owners may change the avatar.")

  init() throws {
    tester = try LedgerTester.current
  }

  private func processes() async throws -> (app: LedgerProcess, ext: LedgerProcess) {
    var handlers = HandlerRegistry()
    try handlers.register(AvatarAnswered.self) { [hook] in hook }
    return (try await tester.app(handlers), try await tester.appExtension(handlers))
  }

  /// The app asks to remove an avatar.
  private func ask(
    _ app: LedgerProcess, within time: Duration? = nil
  ) async throws -> (DurablePromise<Void>, DurableHandler) {
    let deadline = time.map { tester.clock.now() + $0 }
    return try await app.ledger.batch { batch in
      let removal = try batch.createPromise(
        of: Void.self, label: "Remove the avatar", deadline: deadline)
      return (removal, try batch.createHandler(AvatarAnswered.self, ["removal": removal]))
    }
  }

  /// The app shows a spinner until the promise has an outcome.
  private func spin(_ removal: DurablePromise<Void>) async throws {
    try await removal.consume { [screen] outcome in
      switch outcome {
      case .fulfilled: screen.add("removed")
      case .rejected(let error): screen.add(error.decode(as: ServerRefusal.self)?.text ?? "?")
      case .cancelled: screen.add("cancelled")
      case .timedOut: screen.add("no answer")
      }
    }
  }

  // MARK: One command

  @Test(.ledger) func onlyTheAppConsumes() async throws {
    let tester = try LedgerTester.current
    let (app, ext) = (try await tester.app(), try await tester.appExtension())
    let promise = try await tester.given { try await app.ledger.createPromise(of: Int.self) }
    try await tester.when { try await ext.promise(promise).fulfill(7) }
      .then(.promiseResolved(promise, .fulfilled(7)))
    try await tester.when { try await ext.promise(promise).consume() }
      .expectRefused(.roleMayNotConsume)
    try await tester.when { try await promise.consume() }
      .then(.promiseConsumed(promise))
      .expectState { state in
        let record = try state.record(of: promise.id)
        #expect(record?.status == .consumed)
      }
    try await tester.when { try await promise.fulfill(8) }.thenNothing()
  }

  @Test(.ledger) func aPromiseIsKept() async throws {
    let app = try await LedgerTester.current.app()
    let promise = try await app.ledger.createPromise(of: Int.self)
    #expect(try await promise.record?.status == .pending)
  }

  @Test func theFunctionDoesTheSame() async throws {
    try await withLedger { tester in
      let app = try await tester.app()
      let promise = try await app.ledger.createPromise(of: Int.self)
      try await tester.when { try await promise.fulfill(1) }
        .then(.promiseResolved(promise, .fulfilled(1)))
    }
  }

  // MARK: The story

  @Test func theSpinnerEndsWithTheError() async throws {
    let (app, ext) = try await processes()
    let (removal, answer) = try await ask(app)
    let spinner = Task { try await spin(removal) }
    try await app.freeze()
    try await tester.when { try await ext.handler(answer).call(["refusal": refusal]) }.then(
      .handlerCallStarted(answer), .promiseRejected(removal, refusal),
      .handlerCallFinished(answer, .returned))
    try await tester.when {
      try await app.unfreeze()
      try await spinner.value
    }
    .then(.sessionUnfrozen(app), .promiseConsumed(removal))
    #expect(screen.lines == ["Only owners may change the avatar."])
  }

  @Test func theAppIsKilledWhileFrozen() async throws {
    let (app, ext) = try await processes()
    let (_, answer) = try await ask(app)
    try await app.freeze()
    try await tester.when { await app.kill() }.then(.sessionClosed(app, .died))
    try await ext.handler(answer).call(["refusal": refusal])
    try await app.restart()
    for stale in try await app.ledger.stalePromises() {
      let removal = try app.ledger.promise(id: stale.id, of: Void.self)
      try await tester.when { try await spin(removal) }.then(.promiseConsumed(removal))
    }
    #expect(screen.lines == ["Only owners may change the avatar."])
  }

  @Test func theExtensionIsKilledInTheMiddleOfTheHandler() async throws {
    let (app, ext) = try await processes()
    let (removal, answer) = try await ask(app)
    hook.set { await ext.kill() }
    await #expect(throws: LedgerError.self) {
      try await ext.handler(answer).call(["refusal": refusal])
    }
    try await ext.restart()
    try await tester.when { try await ext.handler(answer).call(["refusal": refusal]) }
      .then(
        .handlerCallStarted(answer, attempt: 2), .promiseRejected(removal, refusal),
        .handlerCallFinished(answer, .returned))
    try await spin(app.promise(removal))
    #expect(screen.lines == ["Only owners may change the avatar."])
  }

  @Test func theAnswerArrivesTwice() async throws {
    let (app, ext) = try await processes()
    let (removal, answer) = try await ask(app)
    try await ext.handler(answer).call(["refusal": refusal])
    try await tester.when { try await ext.handler(answer).call(["refusal": refusal]) }
      .expectRefused(.handlerFinished)
    try await tester.when { try await spin(removal) }.then(.promiseConsumed(removal))
    #expect(screen.lines == ["Only owners may change the avatar."])
  }

  @Test func theDeadlinePassesWhileTheAppIsFrozen() async throws {
    let (app, ext) = try await processes()
    let (removal, answer) = try await ask(app, within: .seconds(60))
    try await app.freeze()
    try await tester.when { try await tester.advance(by: .seconds(60)) }
      .then(.promiseResolved(removal, .timedOut))
    // The late answer changes nothing.
    try await tester.when { try await ext.handler(answer).call(["refusal": refusal]) }
      .then(
        .handlerCallStarted(answer),
        .handlerCallFinished(answer, .returned, refusing: [.rejectPromise: .alreadyResolved]))
    try await app.unfreeze()
    try await spin(removal)
    #expect(screen.lines == ["no answer"])
  }

  @Test func theAppCancelsBeforeTheAnswer() async throws {
    let (app, ext) = try await processes()
    let (removal, answer) = try await ask(app)
    try await tester.when { try await removal.cancel() }
      .then(.promiseResolved(removal, .cancelled(reason: "")))
    try await tester.when { try await ext.handler(answer).call(["refusal": refusal]) }
      .then(
        .handlerCallStarted(answer),
        .handlerCallFinished(answer, .returned, refusing: [.rejectPromise: .alreadyResolved]))
    try await tester.when { try await spin(removal) }.then(.promiseConsumed(removal))
    #expect(screen.lines == ["cancelled"])
  }

  /// It is compiled only: `ExactEventTests` expects such events.
  private func further(
    _ order: DurablePromise<Int>, noon: Timestamp, _ answer: DurableHandler, room: String,
    _ work: DurablePromise<Int>
  ) -> [ExpectedEvent] {
    [
      .promiseCreated(order, deadline: noon, tags: ["shop"]),
      .handlerRebound(answer, arguments: ["room": room]),
      .handlerCallFinished(answer, returning: 7),
      .workStepFinished(work, "charge", returning: 1_999),
    ]
  }

  // MARK: Deleted lines

  /// The examples, with their expectations and the events that these name.
  private static let examples:
    [(
      name: String, expectations: Int, events: Int,
      run: @Sendable (TestingWithLedgersArticleTests) async throws -> Void
    )] = [
      ("onlyTheAppConsumes", 4, 2, { try await $0.onlyTheAppConsumes() }),
      ("theSpinnerEndsWithTheError", 2, 5, { try await $0.theSpinnerEndsWithTheError() }),
      ("theAppIsKilledWhileFrozen", 2, 2, { try await $0.theAppIsKilledWhileFrozen() }),
      (
        "theExtensionIsKilledInTheMiddleOfTheHandler", 1, 3,
        { try await $0.theExtensionIsKilledInTheMiddleOfTheHandler() }
      ),
      ("theAnswerArrivesTwice", 2, 1, { try await $0.theAnswerArrivesTwice() }),
      (
        "theDeadlinePassesWhileTheAppIsFrozen", 2, 3,
        { try await $0.theDeadlinePassesWhileTheAppIsFrozen() }
      ),
      ("theAppCancelsBeforeTheAnswer", 3, 4, { try await $0.theAppCancelsBeforeTheAnswer() }),
    ]

  /// An expectation that is deleted is missed, but for that of a state, which follows from the events.
  @Test(arguments: examples.indices)
  func noExpectationIsNeedless(_ index: Int) async {
    let example = Self.examples[index]
    var number = 0
    while true {
      let (wasReached, error) = await runExample(index, without: .expectation(number))
      guard wasReached else { break }
      #expect(error is UnnamedEvents, "\(example.name) without expectation \(number)")
      number += 1
    }
    #expect(number == example.expectations, "\(example.name)")
  }

  @Test(arguments: examples.indices)
  func noEventOfAnExpectationIsNeedless(_ index: Int) async {
    let example = Self.examples[index]
    var number = 0
    while true {
      let (wasReached, error) = await runExample(index, without: .event(number))
      guard wasReached else { break }
      #expect(error is EventDifference, "\(example.name) without event \(number)")
      number += 1
    }
    #expect(number == example.events, "\(example.name)")
  }

  private func runExample(
    _ index: Int, without part: SkippedExpectation.Part
  ) async -> (wasReached: Bool, error: (any Error)?) {
    await SkippedExpectation.run(without: part) {
      try await withLedger { _ in try await Self.examples[index].run(Self()) }
    }
  }

  // MARK: Crashes

  @Test func anOrderComesToOneEnd() async throws {
    let key = try PromiseKey("order/7")
    let report = try await CrashPoints().run { tester in
      let app = try await tester.app()
      let order = try await app.ledger.findOrCreatePromise(key: key, of: Int.self)
      if try await order.record?.status == .pending { try await order.fulfill(1_999) }
      if try await order.record?.status == .resolved { _ = try await order.consume() }
    }
    #expect(report.endState == ["promise order/7: consumed, fulfilled with 1999"])
  }

  // MARK: Faults

  @Test func aPaymentWhoseAnswerIsLostIsMadeOnce() async throws {
    let app = try await tester.app()
    let payment = try await app.ledger.createPromise(of: Int.self)
    let request = try IdempotencyKey("payment/7")
    try tester.plan([.loseAnswer(of: .append)])
    let error = await #expect(throws: LedgerError.self) {
      try await payment.fulfill(1_999, idempotencyKey: request)
    }
    #expect(error?.code == .commitOutcomeUnknown)
    let again = try await payment.fulfill(1_999, idempotencyKey: request)
    #expect(again.isSuccess)
  }

  @Test func theFasterOfTwoAnswersCounts() async throws {
    let (app, server) = (try await tester.app(), try await tester.appExtension())
    let answer = try await app.ledger.createPromise(of: String.self)
    let gate = FaultGate("the slow disk")
    try tester.plan([.delay(.append, until: gate)], for: app)
    let slow = Task { try await answer.fulfill("slow") }
    try await gate.arrival()
    try await server.promise(answer).fulfill("fast")
    gate.open()
    #expect(try await slow.value.isSuccess == false)
    #expect(try await answer.consume() == "fast")
  }

  // MARK: Stores

  @Test func aStoreProvesItself() async throws {
    try await StoreContract(.files).check()
  }
}
