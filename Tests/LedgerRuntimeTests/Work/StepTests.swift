import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// Steps of work, whose results are kept.
@Suite(.timeLimit(.minutes(5)))
struct StepTests {
  private static let failure = ScriptedError(text: "broken")

  private let notes = Notes()
  private let lab: WorkLedger

  init() throws {
    lab = try WorkLedger()
  }

  /// A policy that tries again at once.
  private static func atOnce(_ limit: Int? = nil, givingUp: WorkRetryPolicy.GivingUp = .reject)
    throws -> WorkRetryPolicy
  {
    try WorkRetryPolicy(
      failureLimit: limit, firstDelay: .zero, longestDelay: .zero, givingUp: givingUp)
  }

  /// Runs work until it has an outcome.
  private func outcome(
    of code: @escaping WorkLedger.Code
  ) async throws -> PromiseOutcome<Int> {
    let ledger = try await lab.open(code)
    let options = WorkOptions(retryPolicy: try Self.atOnce())
    return try await running(LedgerRunner(ledger)) {
      try await ledger.start(ScriptedWork(), options: options).outcome
    }
  }

  /// Runs work until it is parked, and returns its last error.
  private func reasonForParking(
    _ code: @escaping WorkLedger.Code
  ) async throws -> StoredError {
    let ledger = try await lab.open(code)
    let promise = try await ledger.start(ScriptedWork())
    let parked = try await running(LedgerRunner(ledger)) {
      try await record(of: promise.id, in: ledger) { $0.work?.state == .parked }
    }
    return try #require(parked.work?.lastError)
  }

  // MARK: Kept results

  @Test func aStepRunsOnceThoughTheCodeRunsAgain() async throws {
    let outcome = try await outcome { [notes] _, call in
      let number = try await call.step("number") { step in
        notes.add("body \(step.attempt)")
        return 20
      }
      notes.add("attempt \(call.attempt)")
      guard call.attempt == 3 else { throw Self.failure }
      return number + call.attempt
    }
    #expect(outcome == .fulfilled(23))
    #expect(notes.lines == ["body 1", "attempt 1", "attempt 2", "attempt 3"])
  }

  @Test func theResultIsDurableBeforeTheStepReturns() async throws {
    let ledger = try await lab.open { _, call in
      let record = { try #require(try await call.ledger.record(of: call.promise)?.work) }
      #expect(try await record().steps.isEmpty)
      try await call.step("one") { _ in }
      try await call.step("two", key: "k") { _ in }
      #expect(try await record().steps == ["one", "two[k]"])
      return 0
    }
    let promise = try await ledger.start(ScriptedWork())
    let outcome = try await running(LedgerRunner(ledger)) { try await promise.outcome }
    #expect(outcome == .fulfilled(0))
    // No attempt needs them any more.
    #expect(try await promise.record?.work?.steps == [])
  }

  @Test func stepsAreFoundByNameInAnyOrder() async throws {
    let outcome = try await outcome { [notes] _, call in
      let names = ["a", "b", "c"]
      var sum = 0
      for name in call.attempt == 1 ? names : names.reversed() {
        sum += try await call.step(name) { _ in
          notes.add(name)
          return call.attempt
        }
      }
      guard call.attempt == 2 else { throw Self.failure }
      return sum
    }
    #expect(outcome == .fulfilled(3))
    #expect(notes.lines == ["a", "b", "c"])
  }

  @Test func stepsOfOneNameAreNumberedInTheOrderOfTheirBeginnings() async throws {
    let outcome = try await outcome { [notes] _, call in
      var values: [Int] = []
      for index in 0..<3 {
        values.append(
          try await call.step("item") { _ in
            notes.add("\(index)")
            return index
          })
      }
      #expect(values == [0, 1, 2])
      guard call.attempt == 2 else { throw Self.failure }
      return 0
    }
    #expect(outcome == .fulfilled(0))
    #expect(notes.lines == ["0", "1", "2"])
  }

  @Test func stepsWithKeysMayRunAtOnce() async throws {
    let outcome = try await outcome { _, call in
      let sum = try await withThrowingTaskGroup(of: Int.self) { group in
        for index in 0..<20 {
          group.addTask {
            try await call.step("item", key: "\(index)") { _ in 100 * call.attempt + index }
          }
        }
        return try await group.reduce(0, +)
      }
      guard call.attempt == 2 else { throw Self.failure }
      return sum
    }
    #expect(outcome == .fulfilled(20 * 100 + 190))
  }

  @Test func aRenamedStepIsFoundByItsFormerName() async throws {
    let outcome = try await outcome { [notes] _, call in
      guard call.attempt == 2 else {
        try await call.step("old") { _ in notes.add("old") }
        throw Self.failure
      }
      try await call.step("new", formerly: ["older", "old"]) { _ in notes.add("new") }
      return 0
    }
    #expect(outcome == .fulfilled(0))
    #expect(notes.lines == ["old"])
  }

  @Test func aLargeResultIsKeptToo() async throws {
    let large = [UInt8](repeating: 7, count: 100_000)
    let outcome = try await outcome { _, call in
      let bytes = try await call.step("large") { _ in large }
      #expect(bytes == large)
      guard call.attempt == 2 else { throw Self.failure }
      return bytes.count
    }
    #expect(outcome == .fulfilled(100_000))
  }

  @Test func theKeyOfAStepIsTheSameInAllAttempts() async throws {
    _ = try await outcome { [notes] _, call in
      try await call.step("a", retrying: try Self.atOnce()) { step in
        notes.add(step.idempotencyKey)
        guard step.attempt == 2 else { throw Self.failure }
      }
      try await call.step("a") { step in notes.add(step.idempotencyKey) }
      return 0
    }
    #expect(notes.lines.count == 3)
    #expect(notes.lines.first == notes.lines.dropFirst().first)
    #expect(Set(notes.lines).count == 2)
  }

  @Test func theEffectsOfABodyHappenWithItsResult() async throws {
    let ledger = try await lab.open { work, call in
      let promise = try #require(work.promise)
      try await call.step("answer") { step in try step.fulfill(promise, 5) }
      // Nothing but the step has ended.
      #expect(try await promise.outcome == .fulfilled(5))
      throw Permanent(Self.failure)
    }
    let other = try await ledger.createPromise(of: Int.self)
    let outcome = try await running(LedgerRunner(ledger)) {
      try await ledger.start(ScriptedWork(promise: other)).outcome
    }
    #expect(outcome == .rejected(StoredError(Self.failure)))
    #expect(try await other.consume() == 5)
  }

  @Test func aBodyWhoseRequiredEffectIsRefusedHasFailed() async throws {
    let ledger = try await lab.open { work, call in
      let promise = try #require(work.promise)
      try await call.step("answer", retrying: try Self.atOnce(2)) { [notes] step in
        notes.add("\(step.attempt)")
        try step.fulfill(promise, 5, required: true)
      }
      return 0
    }
    let other = try await ledger.createPromise(of: Int.self)
    try await other.fulfill(1)
    let outcome = try await running(LedgerRunner(ledger)) {
      try await ledger.start(ScriptedWork(promise: other)).outcome
    }
    guard case .rejected(let error) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(error.domain == "PromiseLedger.requiredEffectRefused")
    #expect(notes.lines == ["1", "2"])
  }

  // MARK: Failures

  @Test func aBodyThatFailsIsTriedAgain() async throws {
    let outcome = try await outcome { [notes] _, call in
      try await call.step("flaky", retrying: try Self.atOnce()) { step in
        notes.add("\(step.attempt)")
        guard step.attempt == 3 else { throw Self.failure }
        return step.attempt
      }
    }
    #expect(outcome == .fulfilled(3))
    #expect(notes.lines == ["1", "2", "3"])
  }

  @Test func theLastFailureIsKeptAndEachAttemptTakesTheSameCatch() async throws {
    let outcome = try await outcome { [notes] _, call in
      do {
        try await call.step("ship", retrying: try Self.atOnce(2)) { _ in
          notes.add("ship")
          throw Self.failure
        }
      } catch let failure as StepFailure {
        #expect(failure.step == "ship" && failure.reason == .failed(StoredError(Self.failure)))
        try await call.step("refund") { _ in notes.add("refund") }
        guard call.attempt == 3 else { throw ScriptedError(text: "again") }
        throw failure
      }
      return 0
    }
    #expect(outcome == .rejected(StoredError(Self.failure)))
    #expect(notes.lines == ["ship", "ship", "refund"])
  }

  @Test func aPermanentErrorIsKeptAtOnce() async throws {
    let outcome = try await outcome { [notes] _, call in
      try await call.step("once") { _ in
        notes.add("body")
        throw Permanent(Self.failure)
      }
      return 0
    }
    #expect(outcome == .rejected(StoredError(Self.failure)))
    #expect(notes.lines == ["body"])
  }

  @Test func aStepMayLeaveItsLastFailureToAnOperator() async throws {
    let error = try await reasonForParking { _, call in
      try await call.step("hard", retrying: try Self.atOnce(1, givingUp: .park)) { _ in
        throw Self.failure
      }
      return 0
    }
    #expect(error.domain == "ScriptedError")
  }

  @Test func aResultThatIsTooLargeIsAFailure() async throws {
    let size = LedgerConfiguration().maximumPayloadSizeInBytes + 1
    let outcome = try await outcome { [notes] _, call in
      try await call.step("large") { _ in
        notes.add("body")
        return [UInt8](repeating: 1, count: size)
      }.count
    }
    guard case .rejected(let error) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(error.message.contains("step large: the value that it returned has \(size) bytes"))
    #expect(notes.lines == ["body"])
  }

  // MARK: Misuse

  @Test func twoStepsWithoutKeysAtOnceParkTheWork() async throws {
    let error = try await reasonForParking { _, call in
      async let first: Void = call.step("same") { _ in try await Task.sleep(for: .seconds(1)) }
      async let second: Void = call.step("same") { _ in try await Task.sleep(for: .seconds(1)) }
      _ = try await (first, second)
      return 0
    }
    #expect(
      error.message
        == "Two steps same without keys run at once, so a later attempt could confuse them. Give each a key."
    )
  }

  @Test func oneKeyTwiceAtOnceParksTheWork() async throws {
    let error = try await reasonForParking { _, call in
      async let first: Void = call.step("s", key: "k") { _ in try await Task.sleep(for: .seconds(1))
      }
      async let second: Void = call.step("s", key: "k") { _ in
        try await Task.sleep(for: .seconds(1))
      }
      _ = try await (first, second)
      return 0
    }
    #expect(
      error.message
        == "Step s[k] was begun again while it runs. Give each step a key of its own, or wait for the first one."
    )
  }

  @Test func anotherTypeParksTheWorkAndNamesBoth() async throws {
    let error = try await reasonForParking { _, call in
      guard call.attempt == 2 else {
        try await call.step("s") { _ in 1 }
        throw Self.failure
      }
      return try await call.step("s") { _ in "text" }.count
    }
    #expect(
      error.message
        == "Step s has a recorded value of the type int, but the code expects string. Use the recorded type, name it as a former one, or give the step another name."
    )
  }

  @Test(arguments: ["", String(repeating: "n", count: 129), "a\u{7}b"])
  func aNameThatIsOutOfBoundsParksTheWork(name: String) async throws {
    let error = try await reasonForParking { _, call in
      try await call.step(name) { _ in }
      return 0
    }
    #expect(error.message.hasPrefix("invalidArgument: The step name has"))
  }

  @Test func codeThatCatchesEverythingStaysParked() async throws {
    let error = try await reasonForParking { [notes] _, call in
      _ = try? await call.step("") { _ in }
      _ = try? await call.step("fine") { _ in notes.add("body") }
      return 0
    }
    #expect(error.message.hasPrefix("invalidArgument: The step name has"))
    #expect(notes.lines.isEmpty)
  }
}
