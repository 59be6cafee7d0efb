import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

/// Work that is run again after a kill at each commit.
@Suite(.timeLimit(.minutes(5)))
struct WorkVerifierTests {
  private let notes = Notes()
  private let counter = Counter()

  private static func verifier(_ code: @escaping WorkLedger.Code) throws -> WorkVerifier {
    var handlers = HandlerRegistry()
    try handlers.register(ScriptedWork.self) { ScriptedWork.Script(code: code) }
    return WorkVerifier(handlers)
  }

  /// Verifies work with a code.
  private func verify(_ code: @escaping WorkLedger.Code) async throws -> WorkVerification {
    try await Self.verifier(code).run { ledger in try await ledger.start(ScriptedWork()) }
  }

  /// The difference that a code makes.
  private func difference(_ code: @escaping WorkLedger.Code) async throws -> WorkDifference {
    try #require(await #expect(throws: WorkDifference.self) { _ = try await verify(code) })
  }

  private func number(_ outcome: PromiseOutcome<StoredValue>?) -> Int? {
    guard case .fulfilled(let value) = outcome else { return nil }
    return Int(String(decoding: value.bytes, as: UTF8.self))
  }

  // MARK: Stories

  @Test(arguments: [false, true])
  func anOrderIsRepeatable(isSoldOut: Bool) async throws {
    let shop = Shop(notes: notes, isSoldOut: isSoldOut)
    var handlers = HandlerRegistry()
    try handlers.register(FulfilOrder.self) { shop }
    let verification = try await WorkVerifier(handlers).run { ledger in
      try await ledger.start(FulfilOrder(order: Order(number: 7)))
    }
    #expect(verification.outcome?.kind == (isSoldOut ? .rejected : .fulfilled))
    // After the request, the claim, and each of the steps.
    #expect(verification.prefixCount == 5)
    #expect(verification.stepCount == 3)
    #expect(verification.attemptCount == 1 + 5)
    // The first run, and the two prefixes without the charge.
    #expect(notes.lines.filter { $0 == "charge 7" }.count == 1 + 2)
  }

  @Test(arguments: [1, 5, nil])
  func anApprovalIsRepeatable(day: Int?) async throws {
    let office = Office(notes: notes)
    var handlers = HandlerRegistry()
    try handlers.register(ApproveExpense.self) { office }
    var verifier = WorkVerifier(handlers)
    verifier.signals = { _ in
      day.map { .fulfill(Verdict.approved, after: .seconds($0 * 86_400)) }
    }
    let verification = try await verifier.run { ledger in
      try await ledger.start(ApproveExpense(expense: Expense(cents: 999)))
    }
    #expect(verification.outcome?.kind == (day == nil ? .rejected : .fulfilled))
    #expect(verification.stepCount == (day == 1 ? 1 : 2))
    #expect(verification.prefixCount > verification.stepCount)
  }

  @Test func aContinuationIsRepeatable() async throws {
    var verifier = try Self.verifier { work, call in
      let base = try #require(work.value)
      return try await call.step("add") { _ in base + 1 }
    }
    verifier.signals = { _ in .fulfill(41, after: .seconds(60)) }
    let verification = try await verifier.run { ledger in
      try await ledger.createPromise(of: Int.self).then(ScriptedWork.self)
    }
    #expect(number(verification.outcome) == 42)
    // After the request, the signal, the claim, and the step.
    #expect(verification.prefixCount == 4)
  }

  @Test func retriesAndPausesAreRepeatable() async throws {
    let verification = try await verify { [counter] _, call in
      let number = try await call.step("flaky") { step in
        guard step.attempt > 2 else { throw ScriptedError(text: "not yet") }
        return 20
      }
      try await call.sleep(for: .milliseconds(200))
      try await call.sleep(for: .seconds(3 * 86_400))
      _ = counter.next()
      return number
    }
    #expect(number(verification.outcome) == 20)
    #expect(counter.next() > 2)
  }

  /// A verifier of work that waits for an answer.
  private static func verifier(_ signal: WorkSignal) throws -> WorkVerifier {
    var verifier = try Self.verifier { _, call in
      try await call.value(of: call.promise("answer", of: Int.self))
    }
    verifier.signals = { _ in signal }
    return verifier
  }

  @Test(arguments: ["rejected", "cancelled"])
  func signalsCanFail(how: String) async throws {
    let signal =
      how == "rejected"
      ? WorkSignal.reject(ScriptedError(text: "a reason")) : .cancel(reason: "a reason")
    let verification = try await Self.verifier(signal).run { ledger in
      try await ledger.start(ScriptedWork())
    }
    guard case .rejected(let error) = verification.outcome else {
      Issue.record("not rejected")
      return
    }
    #expect("\(error)".contains("a reason"))
    #expect("\(error)".contains("cancelled") == (how == "cancelled"))
  }

  @Test func aSignalOfAnotherTypeIsRefused() async throws {
    let error = await #expect(throws: LedgerError.self) {
      _ = try await Self.verifier(.fulfill("text")).run { ledger in
        try await ledger.start(ScriptedWork())
      }
    }
    #expect(error?.code == .typeMismatch)
  }

  @Test func aPromiseOfAnotherLedgerIsNotFound() async throws {
    let other = try await MemoryLedger().open()
    let error = await #expect(throws: LedgerError.self) {
      _ = try await Self.verifier(.fulfill(1)).run { _ in
        try await other.createPromise(of: Int.self)
      }
    }
    #expect(error?.code == .notFound)
  }

  @Test func aDeadlineComes() async throws {
    let verification = try await Self.verifier { _, call in
      try await call.value(of: call.promise("answer", of: Int.self))
    }
    .run { ledger in
      let deadline = ledger.configuration.timeForIDs + .seconds(60)
      return try await ledger.start(ScriptedWork(), deadline: deadline)
    }
    #expect(verification.outcome == .timedOut)
  }

  // MARK: Differences

  @Test func aBranchOnACounterIsFound() async throws {
    let difference = try await difference { [counter] _, call in
      let run = counter.next()
      let first = try await call.step("first") { _ in 1 }
      guard run > 1 else { return first }
      return try await call.step("second") { _ in 2 }
    }
    #expect(number(difference.expected) == 1)
    #expect(number(difference.actual) == 2)
    #expect(difference.steps == [])
    #expect(difference.standstill == nil)
    #expect(difference.events.last?.contains("promiseCreated of") == true)
    #expect(difference.events.last?.hasSuffix("work of the kind scripted-work") == true)
  }

  @Test func aValueComputedOutsideOfAStepIsFound() async throws {
    let difference = try await difference { [counter] _, call in
      let number = counter.next()
      try await call.step("one") { _ in }
      return number
    }
    #expect(number(difference.expected) == 1)
    #expect(number(difference.actual) == 2)
    #expect("\(difference)".contains("the promise is fulfilled with 2 ("))
    #expect("\(difference)".contains("Without it, the promise is fulfilled with 1 ("))
    #expect("\(difference)".contains("No step was kept."))
  }

  @Test func aDifferenceBehindAJointIsFound() async throws {
    let verifier = try Self.verifier { [counter] _, call in
      let number = counter.next()
      try await call.step("one") { _ in }
      return number
    }
    let difference = try #require(
      await #expect(throws: WorkDifference.self) {
        _ = try await verifier.run { ledger in
          try await ledger.all([ledger.start(ScriptedWork())])
        }
      })
    #expect("\(difference)".contains("the promise is fulfilled with [2] ("))
    #expect("\(difference)".contains("Without it, the promise is fulfilled with [1] ("))
  }

  @Test func workBehindAJointIsRepeatable() async throws {
    let verifier = try Self.verifier { _, call in try await call.step("one") { _ in 1 } }
    let verification = try await verifier.run { ledger in
      try await ledger.all([ledger.start(ScriptedWork()), ledger.start(ScriptedWork())])
    }
    guard case .fulfilled(let value) = verification.outcome else {
      Issue.record("\(verification)")
      return
    }
    #expect(String(decoding: value.bytes, as: UTF8.self) == "[1,1]")
  }

  @Test func theKeptStepsAreNamed() async throws {
    let difference = try await difference { _, call in
      // A later attempt finds the result of the step, and does not run its body.
      let runs = Counter()
      try await call.step("number", key: "a") { _ in _ = runs.next() }
      return runs.count
    }
    #expect(number(difference.expected) == 1)
    #expect(number(difference.actual) == 0)
    #expect(difference.steps == ["number[a]"])
    #expect(difference.events.last?.hasSuffix("step number[a], value") == true)
    #expect("\(difference)".contains("Kept steps: number[a]."))
  }

  @Test func anErrorThatDiffersIsFound() async throws {
    let difference = try await difference { [counter] _, call in
      try await call.step("one") { _ in }
      throw Permanent(ScriptedError(text: "number \(counter.next())"))
    }
    #expect(difference.expected?.kind == .rejected)
    #expect(difference.actual?.kind == .rejected)
    #expect(difference.expected != difference.actual)
  }

  @Test func workThatStandsStillAfterAKillIsFound() async throws {
    let difference = try await difference { [counter] _, call in
      guard counter.next() > 1 else { return try await call.step("one") { _ in 1 } }
      return try await call.value(of: call.promise("never", of: Int.self))
    }
    #expect(difference.actual == nil)
    #expect(difference.standstill?.reason == .nothingIsAwaited)
    #expect("\(difference)".contains("there is no outcome: At "))
  }

  // MARK: Errors and limits

  @Test func workThatNeverEndsIsNamed() async throws {
    let error = try #require(
      await #expect(throws: WorkStandstill.self) {
        _ = try await verify { _, call in
          try await call.value(of: call.promise("answer", of: Int.self))
        }
      })
    #expect(error.reason == .nothingIsAwaited)
    #expect(error.explanations.count == 1)
    #expect("\(error)".contains("is pending."))
  }

  @Test(arguments: [2, 3])
  func theJumpsAreLimited(limit: Int) async throws {
    var verifier = try Self.verifier { _, call in
      for _ in 0..<3 { try await call.sleep(for: .seconds(60)) }
      return 1
    }
    verifier.maximumJumpCount = limit
    do {
      _ = try await verifier.run { ledger in try await ledger.start(ScriptedWork()) }
      #expect(limit == 3)
    } catch let error as WorkStandstill {
      #expect(error.reason == .tooManyJumps(2))
    }
  }

  /// Its questions are answered at once, so the clock stands still.
  @Test func codeThatAsksForEverIsEnded() async throws {
    var verifier = try Self.verifier { _, call in
      var number = 0
      while true {
        number += 1
        _ = try await call.value(of: call.promise("answer \(number)", of: Int.self))
      }
    }
    verifier.signals = { _ in .fulfill(1) }
    verifier.maximumJumpCount = 5
    let error = try #require(
      await #expect(throws: WorkStandstill.self) {
        _ = try await verifier.run { ledger in try await ledger.start(ScriptedWork()) }
      })
    #expect(error.reason == .tooManyJumps(5))
  }

  @Test(arguments: [(0, 0), (2, 2), (100, 4)])
  func thePrefixesAreLimited(limit: Int, count: Int) async throws {
    var verifier = try Self.verifier { _, call in
      try await call.step("one") { _ in }
      return try await call.step("two") { _ in 2 }
    }
    verifier.maximumPrefixCount = limit
    let verification = try await verifier.run { ledger in try await ledger.start(ScriptedWork()) }
    #expect(verification.prefixCount == count)
  }

  @Test func anErrorOfTheStartIsPassedOn() async throws {
    await #expect(throws: ScriptedError.self) {
      _ = try await Self.verifier { _, _ in 1 }.run { _ -> DurablePromise<Int> in
        throw ScriptedError(text: "no start")
      }
    }
  }
}

/// Counts what code does outside of the ledger.
private final class Counter: Sendable {
  private let contents = Mutex(0)
  var count: Int { contents.withLock { $0 } }

  func next() -> Int {
    contents.withLock { count in
      count += 1
      return count
    }
  }
}
