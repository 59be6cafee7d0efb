import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// The effect of a failure of code on the promises among its arguments.
@Suite(.timeLimit(.minutes(10)))
struct FailureTests {
  private static let failure = ScriptedError(text: "broken")

  /// Throws always; its failure rejects its only promise.
  private struct Failing: LedgerHandler {
    struct Request: Codable, Sendable {
      let answers: [DurablePromise<Int>]
    }

    struct Invalidation: Codable, Sendable {
      let promise: DurablePromise<Int>?
      let second: DurablePromise<Int>?
    }

    static let kind = "failing"
    let promise: DurablePromise<Int>?
    let second: DurablePromise<Int>?
    let request: Request?

    func run(in call: HandlerCall<Void>) throws { throw FailureTests.failure }

    static func invalidate(_ parameters: Invalidation, in call: HandlerCall<Void>) throws {
      throw FailureTests.failure
    }
  }

  /// Names the promise that its failure rejects.
  private struct Naming: LedgerHandler {
    static let kind = "naming"
    static let onFailure = HandlerFailurePolicy.rejectPromise(named: "second")
    let promise: DurablePromise<Int>?
    let second: DurablePromise<Int>?

    func run(in call: HandlerCall<Void>) throws { throw FailureTests.failure }
  }

  /// Leaves its promise unchanged.
  private struct Recording: LedgerHandler {
    static let kind = "recording"
    static let onFailure = HandlerFailurePolicy.recordOnly
    let promise: DurablePromise<Int>?
    let second: DurablePromise<Int>?

    func run(in call: HandlerCall<Void>) throws { throw FailureTests.failure }
  }

  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  private func open(_ code: @escaping Scripted.Code = { _, _ in 0 }) async throws -> Ledger {
    try await temporary.open { registry in
      try registry.register(Failing.self)
      try registry.register(Naming.self)
      try registry.register(Recording.self)
      try registry.register(Scripted.self) { Scripted.Script(code: code) }
    }
  }

  private func expectRejection(
    of promise: DurablePromise<Int>, sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) async throws {
    guard case .rejected(let error)? = try await promise.record?.outcome else {
      let record = try await promise.record
      Issue.record("not rejected: \(record as Any)", sourceLocation: sourceLocation)
      return
    }
    #expect(error.decode(as: ScriptedError.self) == Self.failure, sourceLocation: sourceLocation)
  }

  // MARK: In the commit of the end

  @Test func aFailureRejectsTheOnlyPromiseInTheCommitOfItsEnd() async throws {
    let ledger = try await open()
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(Failing.self, ["promise": promise]).handler
    let before = try await ledger.catchUp()
    await #expect(throws: Self.failure) { try await handler.call() }
    try await expectRejection(of: promise)
    var events: [LedgerEvent] = []
    for try await event in ledger.events(after: before) {
      events.append(event)
      if event.kind == .handlerCallFinished { break }
    }
    #expect(events.map(\.kind) == [.handlerCallStarted, .promiseResolved, .handlerCallFinished])
    #expect(events.dropFirst().allSatisfy { $0.cause == events[0].position })
    let report = try await ledger.payloads(of: HandlerCallFinished.self).first?.end.report
    #expect(report?.effects == [DecidedEffect(.rejectPromise, .done, on: promise.id.entityID)])
    #expect(report?.result == .failed(StoredError(Self.failure)))
    await ledger.close()
  }

  @Test func aRefusedRequiredEffectRejectsItToo() async throws {
    let ledger = try await open { _, call in
      let unknown = HandlerID(entityID: call.id.entityID)
      try call.scheduleCall(of: call.ledger.handler(id: unknown), required: true)
      return 1
    }
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(Scripted.self, ["promise": promise]).handler
    await expectError(.requiredEffectRefused) { try await handler.call() }
    guard case .rejected(let error)? = try await promise.record?.outcome else {
      Issue.record("not rejected")
      return
    }
    #expect(error.domain == "PromiseLedger.requiredEffectRefused")
    let report = try await ledger.payloads(of: HandlerCallFinished.self).first?.end.report
    #expect(report?.effects.map(\.effect) == [.callHandler, .rejectPromise])
    #expect(report?.effects.map(\.verdict) == [.notFound, .done])
    await ledger.close()
  }

  @Test func aLaterCallOfAChainThatFailsRejectsItsPromise() async throws {
    let ledger = try await open { scripted, call in
      if let other = scripted.other { try call.scheduleCall(of: other) }
      return 1
    }
    let promise = try await ledger.createPromise(of: Int.self)
    let last = try await ledger.createHandler(Failing.self, ["promise": promise]).handler
    let first = try await ledger.createHandler(Scripted.self, ["other": last]).handler
    #expect(try await first.call().effects.map(\.verdict) == [.done])
    try await expectRejection(of: promise)
    await ledger.close()
  }

  @Test func anOutcomeThatIsThereStays() async throws {
    let ledger = try await open()
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(Failing.self, ["promise": promise]).handler
    try await promise.fulfill(7)
    await #expect(throws: Self.failure) { try await handler.call() }
    #expect(try await promise.consume() == 7)
    let report = try await ledger.payloads(of: HandlerCallFinished.self).first?.end.report
    #expect(report?.effects.map(\.verdict) == [.alreadyResolved])
    await ledger.close()
  }

  @Test func effectsRequestedBeforeTheCodeFailedAreDropped() async throws {
    let ledger = try await open { scripted, call in
      try call.fulfill(#require(scripted.promise), 3)
      throw Self.failure
    }
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(Scripted.self, ["promise": promise]).handler
    await #expect(throws: Self.failure) { try await handler.call() }
    try await expectRejection(of: promise)
    await ledger.close()
  }

  @Test func aCallThatIsGivenBackRejectsNothing() async throws {
    let gate = Gate()
    let ledger = try await open { _, call in
      await gate.pass()
      if call.attempt == 1 { try Task.checkCancellation() }
      throw Self.failure
    }
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(Scripted.self, ["promise": promise]).handler
    let task = Task { try await handler.call() }
    await gate.arrival()
    task.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await promise.record?.status == .pending)
    let unfinished = try #require(try await ledger.unfinishedCalls().first)
    await #expect(throws: Self.failure) { try await ledger.retry(unfinished) }
    try await expectRejection(of: promise)
    await ledger.close()
  }

  @Test func codeThatThrowsACancellationByItselfHasFailed() async throws {
    let ledger = try await open { _, _ in throw CancellationError() }
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(Scripted.self, ["promise": promise]).handler
    await #expect(throws: CancellationError.self) { try await handler.call() }
    #expect(try await ledger.unfinishedCalls().isEmpty)
    #expect(try await promise.record?.status == .resolved)
    await ledger.close()
  }

  @Test func anErrorThatIsTooLargeRejectsWithoutItsPayload() async throws {
    var configuration = LedgerConfiguration()
    configuration.maximumPayloadSizeInBytes = 2_000
    try configuration.handlers.register(Scripted.self) {
      Scripted.Script { _, _ in throw ScriptedError(text: String(repeating: "x", count: 5_000)) }
    }
    let ledger = try await temporary.open(configuration: configuration)
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(Scripted.self, ["promise": promise]).handler
    await #expect(throws: ScriptedError.self) { try await handler.call() }
    guard case .rejected(let error)? = try await promise.record?.outcome else {
      Issue.record("not rejected")
      return
    }
    #expect(error.payload == nil && error.domain == "ScriptedError")
    await ledger.close()
  }

  // MARK: Which promise

  /// A way to bind and give promises, and whether the failure rejects the first or the second.
  struct Case: Sendable, CustomTestStringConvertible {
    let type: any LedgerHandler.Type
    var bound: [String] = []
    var given: [String] = []
    var repetition = HandlerRepetition.oneShot
    var rejected: String?

    var testDescription: String {
      "\(type.kind)\(repetition == .repeating ? ", repeating" : ""), bound \(bound), given \(given)"
    }
  }

  static let cases: [Case] = [
    Case(type: Failing.self),
    Case(type: Failing.self, bound: ["promise"], rejected: "promise"),
    Case(type: Failing.self, given: ["second"], rejected: "second"),
    Case(type: Failing.self, bound: ["promise"], given: ["second"]),
    Case(type: Failing.self, bound: ["promise", "second"]),
    Case(type: Failing.self, bound: ["promise"], given: ["unknown"], rejected: "promise"),
    Case(type: Failing.self, bound: ["promise"], repetition: .repeating),
    Case(type: Naming.self, bound: ["promise"]),
    Case(type: Naming.self, bound: ["promise", "second"], rejected: "second"),
    Case(type: Naming.self, bound: ["promise"], given: ["second"], rejected: "second"),
    Case(
      type: Naming.self, bound: ["promise", "second"], repetition: .repeating, rejected: "second"),
    Case(type: Recording.self, bound: ["promise"]),
  ]

  @Test(arguments: cases) func theFailureRejectsThePromise(case row: Case) async throws {
    func create<Handler: LedgerHandler>(
      _ type: Handler.Type, _ arguments: HandlerArguments, in ledger: Ledger
    ) async throws -> DurableHandler {
      try await ledger.createHandler(type, arguments, repetition: row.repetition).handler
    }
    let ledger = try await open()
    var promises: [String: DurablePromise<Int>] = [:]
    for name in ["promise", "second", "unknown"] {
      promises[name] = try await ledger.createPromise(of: Int.self)
    }
    func arguments(_ names: [String]) -> HandlerArguments {
      var arguments = HandlerArguments()
      for name in names { arguments.set(promises[name], for: name) }
      return arguments
    }
    let handler = try await create(row.type, arguments(row.bound), in: ledger)
    await #expect(throws: Self.failure) { try await handler.call(arguments(row.given)) }
    for (name, promise) in promises {
      let status = try await promise.record?.status
      #expect(status == (name == row.rejected ? .resolved : .pending), "\(name)")
    }
    if let rejected = row.rejected.flatMap({ promises[$0] }) {
      try await expectRejection(of: rejected)
    }
    await ledger.close()
  }

  @Test func aPromiseInsideAnArgumentCounts() async throws {
    let ledger = try await open()
    let promise = try await ledger.createPromise(of: Int.self)
    let other = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(
      Failing.self, ["request": Failing.Request(answers: [promise])]
    ).handler
    await #expect(throws: Self.failure) { try await handler.call() }
    try await expectRejection(of: promise)
    let both = try await ledger.createHandler(
      Failing.self, ["request": Failing.Request(answers: [promise, other])]
    ).handler
    await #expect(throws: Self.failure) { try await both.call() }
    #expect(try await other.record?.status == .pending)
    await ledger.close()
  }

  @Test func anErasedPromiseDoesNotCount() async throws {
    let ledger = try await open()
    let promise = try await ledger.createPromise(of: Int.self)
    let second = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(
      Failing.self, ["promise": promise, "second": second]
    ).handler
    let erasing = HandlerArguments().erasing("promise")
    await #expect(throws: Self.failure) { try await handler.call(erasing) }
    #expect(try await promise.record?.status == .pending)
    try await expectRejection(of: second)
    await ledger.close()
  }

  @Test(arguments: HandlerRepetition.allCases)
  func invalidationCodeThatFailsRejectsItsOnlyPromise(repetition: HandlerRepetition) async throws {
    let ledger = try await open()
    let promise = try await ledger.createPromise(of: Int.self)
    let handler = try await ledger.createHandler(
      Failing.self, ["promise": promise], repetition: repetition
    ).handler
    await #expect(throws: Self.failure) { try await handler.invalidate() }
    try await expectRejection(of: promise)
    #expect(try await handler.record?.status == .invalidated)
    await ledger.close()
  }
}
