import LedgerPromises
import PromiseLedger
import PromiseLedgerSwiftTesting
import Testing

/// Stores whose operations go wrong as a test plans.
@Suite(.ledger, .timeLimit(.minutes(5)))
struct FaultPlanTests {
  private let tester: LedgerTester

  init() throws {
    tester = try LedgerTester.current
  }

  private func code(of body: () async throws -> Void) async -> LedgerError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? LedgerError)?.code
    }
  }

  // MARK: Failures

  @Test func aPlanIsForAProcessAlsoAfterItsRestart() async throws {
    let app = try await tester.app()
    // The new session opens first.
    try tester.plan([.fail(.append, number: 2, with: .ioFailure)], for: app)
    let ledger = try await app.restart()
    #expect(await code { _ = try await ledger.createPromise(of: Int.self) } == .ioFailure)
    #expect(tester.plannedFaults.isEmpty)
  }

  @Test(arguments: [LedgerError.Code.ledgerFull, .diskFull, .ioFailure, .unavailable])
  func anAppendFailsAndNothingIsWritten(with planned: LedgerError.Code) async throws {
    let ledger = try await tester.app().ledger
    let promise = try await ledger.createPromise(of: Int.self)
    let head = try await ledger.catchUp()
    try tester.plan([.fail(.append, number: 2, with: planned)])
    try await promise.fulfill(1)
    #expect(await code { _ = try await promise.consume() } == planned)
    #expect(try await ledger.catchUp() == head.advanced(by: 1))
    #expect(try await promise.record?.status == .resolved)
    // The session goes on.
    #expect(try await promise.consume() == 1)
    #expect(tester.plannedFaults.isEmpty)
  }

  @Test func aCommitThatCannotBeginFails() async throws {
    let ledger = try await tester.app().ledger
    let promise = try await ledger.createPromise(of: Int.self)
    try tester.plan([.fail(.beginCommit, with: .ioFailure)])
    #expect(await code { try await promise.fulfill(1) } == .ioFailure)
    #expect(try await promise.fulfill(2).isSuccess)
  }

  @Test func aReadFails() async throws {
    let ledger = try await tester.app().ledger
    let promise = try await ledger.createPromise(of: Int.self)
    try tester.plan([.fail(.read, with: .ioFailure)])
    var codes: Set<LedgerError.Code?> = []
    // The thread that listens reads too, and may be the one that fails.
    while !tester.plannedFaults.isEmpty {
      codes.insert(await code { _ = try await promise.record })
    }
    #expect(codes.isSubset(of: [nil, .ioFailure]))
    #expect(try await promise.record?.status == .pending)
  }

  @Test func aCompactionThatFailsIsRepeated() async throws {
    let ledger = try await tester.app().ledger
    for _ in 0..<10 { _ = try await ledger.createPromise(of: Int.self) }
    let digest = try await ledger.state().digest()
    var policy = CompactionPolicy()
    policy.minimumEventCount = 0
    let chosen = policy
    try tester.plan([.fail(.changeSnapshot, with: .diskFull)])
    #expect(await code { _ = try await ledger.compact(chosen) } == .diskFull)
    #expect(try await ledger.state().digest() == digest)
    #expect(try await ledger.compact(chosen).foldedEvents > 0)
  }

  // MARK: Unknown outcomes

  @Test(arguments: [true, false])
  func anUnknownOutcomeIsEitherOfTwo(isTorn: Bool) async throws {
    let ledger = try await tester.app().ledger
    let promise = try await ledger.createPromise(of: Int.self)
    try tester.plan([isTorn ? .tear(.append) : .loseAnswer(of: .append)])
    #expect(await code { try await promise.fulfill(1) } == .commitOutcomeUnknown)
    #expect(try await promise.record?.status == (isTorn ? .pending : .resolved))
    let again = try await promise.fulfill(1)
    guard case .resolved = again else {
      #expect(!isTorn && again.record?.outcomeKind == .fulfilled)
      return
    }
    #expect(isTorn)
  }

  @Test(arguments: [true, false])
  func aConsumptionOfUnknownOutcomeIsNotMadeTwice(isTorn: Bool) async throws {
    let (app, other) = (try await tester.app(), try await tester.app())
    let promise = try await app.ledger.createPromise(of: Int.self)
    try await promise.fulfill(1)
    try tester.plan([isTorn ? .tear(.append) : .loseAnswer(of: .append)], for: app)
    #expect(await code { _ = try await promise.consume() } == .commitOutcomeUnknown)
    let expected: LedgerError.Code? = isTorn ? nil : .alreadyConsumed
    #expect(await code { _ = try await other.promise(promise).consume() } == expected)
  }

  // MARK: Delays

  @Test func whatWaitsAtAGateGoesOnWhenTheTestEnds() async throws {
    let gate = FaultGate()
    let creation = try await withLedger { inner in
      let ledger = try await inner.app().ledger
      try inner.plan([.delay(.append, until: gate)])
      let creation = Task { try await ledger.createPromise(of: Int.self) }
      try await gate.arrival()
      return creation
    }
    _ = await creation.result
  }

  @Test func aProcessThatIsKilledAtAGateWritesNothing() async throws {
    let (app, other) = (try await tester.app(), try await tester.app())
    let promise = try await app.ledger.createPromise(of: Int.self)
    let gate = FaultGate()
    try tester.plan([.delay(.append, until: gate)], for: app)
    let answer = Task { try await promise.fulfill(1) }
    try await gate.arrival()
    await app.kill()
    #expect(await code { _ = try await answer.value } == .sessionEnded)
    gate.open()
    #expect(try await other.promise(promise).record?.status == .pending)
  }

  // MARK: Whose operations count

  @Test func onlyTheOperationsOfOneProcessCount() async throws {
    let (app, server) = (try await tester.app(), try await tester.appExtension())
    try tester.plan([.fail(.append, number: 2, with: .diskFull)], for: server)
    for _ in 0..<5 { _ = try await app.ledger.createPromise(of: Int.self) }
    _ = try await server.ledger.createPromise(of: Int.self)
    #expect(await code { _ = try await server.ledger.createPromise(of: Int.self) } == .diskFull)
    _ = try await server.ledger.createPromise(of: Int.self)
  }

  @Test func plansCountByThemselves() async throws {
    let ledger = try await tester.app().ledger
    try tester.plan([.fail(.append, number: 3, with: .diskFull)])
    _ = try await ledger.createPromise(of: Int.self)
    try tester.plan([.fail(.append, with: .ledgerFull)])
    #expect(await code { _ = try await ledger.createPromise(of: Int.self) } == .ledgerFull)
    #expect(await code { _ = try await ledger.createPromise(of: Int.self) } == .diskFull)
  }

  /// One of them happens, and the others at the next operations.
  @Test func anOperationHasOneFaultAtMost() async throws {
    let app = try await tester.app()
    let ledger = app.ledger
    try tester.plan([.fail(.append, with: .diskFull), .fail(.append, with: .unavailable)])
    try tester.plan([.fail(.append, number: 1, with: .ledgerFull)], for: app)
    for expected in [LedgerError.Code.diskFull, .unavailable, .ledgerFull] {
      #expect(await code { _ = try await ledger.createPromise(of: Int.self) } == expected)
    }
    #expect(tester.plannedFaults.isEmpty)
    _ = try await ledger.createPromise(of: Int.self)
  }

  @Test func aFaultThatAnotherOneDisplacedIsReported() async throws {
    let error = await #expect(throws: PlannedFaultsLeft.self) {
      try await withLedger { inner in
        let ledger = try await inner.app().ledger
        try inner.plan([.fail(.append, with: .diskFull)])
        try inner.plan([.fail(.append, with: .ledgerFull)])
        #expect(await code { _ = try await ledger.createPromise(of: Int.self) } == .diskFull)
      }
    }
    #expect(error?.faults == ["append 1 fails with ledgerFull"])
  }

  @Test func theFilesOfALedgerFailTheSameWay() async throws {
    try await withLedger(.files) { inner in
      let ledger = try await inner.app().ledger
      let promise = try await ledger.createPromise(of: Int.self)
      try inner.plan([.loseAnswer(of: .append), .fail(.append, number: 2, with: .ledgerFull)])
      #expect(await code { try await promise.fulfill(1) } == .commitOutcomeUnknown)
      #expect(await code { _ = try await ledger.createPromise(of: Int.self) } == .ledgerFull)
      #expect(try await promise.consume() == 1)
    }
  }

  // MARK: Mistakes of tests

  @Test func aFaultThatDidNotHappenFailsTheTest() async throws {
    let error = await #expect(throws: PlannedFaultsLeft.self) {
      try await withLedger { inner in
        _ = try await inner.app()
        try inner.plan([.fail(.append, number: 99, with: .diskFull), .tear(.append, number: 98)])
      }
    }
    #expect(error?.faults == ["append 99 fails with diskFull", "append 98 is torn"])
    try await withLedger { inner in
      _ = try await inner.app()
      try inner.plan([.fail(.append, number: 99, with: .diskFull)])
      inner.forgetPlannedFaults()
    }
  }

  @Test(arguments: [
    FaultPlan.Fault.fail(.append, number: 0, with: .diskFull), .loseAnswer(of: .read),
    .tear(.beginCommit), .delay(.read, until: FaultGate()),
  ])
  func aFaultThatCannotHappenIsRefused(fault: FaultPlan.Fault) {
    let error = #expect(throws: LedgerError.self) { try tester.plan([fault]) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains("\(fault)") == true)
  }

  // MARK: Waiting

  @Test func aConditionThatHoldsLaterIsAwaited() async throws {
    let (app, server) = (try await tester.app(), try await tester.appExtension())
    let promise = try await app.ledger.createPromise(of: Int.self)
    let waiting = Task {
      try await tester.wait(until: "the answer is there") {
        try await promise.record?.status == .resolved
      }
    }
    for _ in 0..<3 { _ = try await server.ledger.createPromise(of: Int.self) }
    try await server.promise(promise).fulfill(1)
    try await waiting.value
  }

  @Test(arguments: [LedgerProcess.Condition.killed, .frozen, .suspended])
  func waitingSurvivesTheProcessThatIsWatched(condition: LedgerProcess.Condition) async throws {
    let (app, other) = (try await tester.app(), try await tester.app())
    let promise = try await app.ledger.createPromise(of: Int.self)
    let seen = try other.promise(promise)
    let (isChecked, checker) = Promise<Void>.make()
    let waiting = Task {
      try await tester.wait(until: "the answer is there") {
        checker.fulfill(())
        return try await seen.record?.status == .resolved
      }
    }
    try await isChecked.value
    switch condition {
    case .frozen: try await app.freeze()
    case .suspended: try await app.suspend()
    default: await app.kill()
    }
    try await seen.fulfill(1)
    try await waiting.value
  }

  @Test func anEffectOfADeadlineIsNotAwaitedForEver() async throws {
    let tester = LedgerTester(patience: .milliseconds(50))
    let app = try await tester.app()
    let deadline = tester.clock.now() + .seconds(60)
    let promise = try await app.ledger.createPromise(of: Int.self, deadline: deadline)
    let gate = FaultGate()
    try tester.plan([.delay(.append, until: gate)], for: app)
    let error = await #expect(throws: WaitedInVain.self) {
      try await tester.advance(by: .seconds(60))
    }
    #expect(error?.what == "the effects of deadlines that have passed")
    gate.open()
    #expect(try await promise.outcome == .timedOut)
    await tester.close()
  }

  @Test func anErrorOfTheConditionEndsTheWaiting() async throws {
    let (app, other) = (try await tester.app(), try await tester.app())
    let promise = try await app.ledger.createPromise(of: Int.self)
    await app.kill()
    let found = await code {
      try await tester.wait(until: "the answer is there") { try await promise.record != nil }
    }
    #expect(found == .sessionEnded)
    #expect(try await other.promise(promise).record?.status == .pending)
  }

  @Test func whoeverWaitsInVainNamesTheCondition() async throws {
    let ledger = try await tester.app().ledger
    _ = try await ledger.createPromise(of: Int.self)
    let error = await #expect(throws: WaitedInVain.self) {
      try await tester.wait(until: "pigs fly", patience: .milliseconds(1)) { false }
    }
    #expect(error?.what == "pigs fly")
    #expect(error?.newestEvents.last == "3 promiseCreated")
    #expect(error?.description.contains("in vain for pigs fly") == true)
    let none = await #expect(throws: WaitedInVain.self) {
      try await FaultGate("the slow disk").arrival(patience: .milliseconds(1))
    }
    #expect(none?.what == "an operation at the slow disk")
  }

  @Test func withoutAProcessNothingIsAwaited() async {
    let error = await #expect(throws: LedgerError.self) {
      try await tester.wait(until: "something") { true }
    }
    #expect(error?.code == .invalidArgument)
  }
}
