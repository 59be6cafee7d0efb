import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// Work that continues a promise.
@Suite(.timeLimit(.minutes(5)))
struct ContinuationTests {
  private let lab: WorkLedger

  init() throws {
    lab = try WorkLedger()
  }

  private func open() async throws -> Ledger {
    try await lab.open { work, _ in
      if let value = work.value { return value + 1 }
      return work.failure.map { $0.message.utf8.count } ?? -1
    }
  }

  @Test func codeReceivesTheValue() async throws {
    let ledger = try await open()
    let first = try await ledger.createPromise(of: Int.self)
    let second = try await first.then(ScriptedWork.self)
    let third = try await second.then(ScriptedWork.self)
    let value = try await running(LedgerRunner(ledger)) {
      try await first.fulfill(40)
      return try await third.outcome.get()
    }
    #expect(value == 42)
    // The continuation did not consume it.
    #expect(try await first.consume() == 40)
  }

  @Test func aPromiseThatIsSettledAlreadyIsContinued() async throws {
    let ledger = try await open()
    let first = try await ledger.createPromise(of: Int.self)
    try await first.fulfill(1)
    let value = try await running(LedgerRunner(ledger)) {
      try await first.then(ScriptedWork.self).outcome.get()
    }
    #expect(value == 2)
  }

  @Test func withoutARunnerTheErrorPassesThroughTheChain() async throws {
    let ledger = try await open()
    let first = try await ledger.createPromise(of: Int.self)
    let second = try await first.then(ScriptedWork.self)
    let third = try await second.then(ScriptedWork.self)
    let error = StoredError(domain: "server", code: 503, message: "busy")
    try await first.reject(error)
    #expect(try await second.outcome == .rejected(error))
    #expect(try await third.outcome == .rejected(error))
    #expect(try await third.record?.work?.attemptCount == 0)
  }

  @Test func codeRecoversFromAFailure() async throws {
    let ledger = try await open()
    let first = try await ledger.createPromise(of: Int.self)
    let recovered = try await first.recover(with: ScriptedWork.self)
    let value = try await running(LedgerRunner(ledger)) {
      try await first.reject(StoredError(domain: "d", message: "four"))
      return try await recovered.outcome.get()
    }
    #expect(value == 4)
  }

  @Test func aValuePassesByTheRecovery() async throws {
    let ledger = try await open()
    let first = try await ledger.createPromise(of: Int.self)
    let recovered = try await first.recover(with: ScriptedWork.self)
    try await first.fulfill(11)
    #expect(try await recovered.outcome == .fulfilled(11))
  }

  @Test func codeForEveryOutcomeReceivesEither() async throws {
    let ledger = try await open()
    let promises = [
      try await ledger.createPromise(of: Int.self), try await ledger.createPromise(of: Int.self),
    ]
    var results: [DurablePromise<Int>] = []
    for promise in promises {
      results.append(try await promise.then(ScriptedWork.self, on: .any))
    }
    try await running(LedgerRunner(ledger)) {
      try await promises[0].fulfill(1)
      try await promises[1].cancel(reason: "because")
      #expect(try await results[0].outcome == .fulfilled(2))
      #expect(try await results[1].outcome == .fulfilled("cancelled: because".utf8.count))
    }
  }

  @Test func aLargeErrorIsPassedOnByTheRunner() async throws {
    let ledger = try await open()
    let first = try await ledger.createPromise(of: Int.self)
    let second = try await first.then(ScriptedWork.self)
    let error = StoredError(domain: "d", message: String(repeating: "x", count: 100_000))
    try await first.reject(error)
    #expect(try await second.record?.status == .pending)
    let outcome = try await running(LedgerRunner(ledger)) { try await second.outcome }
    #expect(outcome == .rejected(error))
  }

  @Test func theContinuationOfAMissingPromiseIsRefused() async throws {
    let ledger = try await open()
    let missing = try ledger.promise(id: .init(entityID: EntityID(high: 1, low: 2)), of: Int.self)
    await expectError(.notFound) { try await missing.then(ScriptedWork.self) }
  }

  @Test func anotherTypeOfValueParksTheWork() async throws {
    let ledger = try await open()
    let first = try await ledger.createPromise(of: String.self)
    let second = try await first.then(ScriptedWork.self)
    try await running(LedgerRunner(ledger)) {
      try await first.fulfill("one")
      let parked = try await record(of: second.id, in: ledger) { $0.work?.state == .parked }
      #expect(parked.work?.lastError?.message.contains("value") == true)
    }
  }
}
