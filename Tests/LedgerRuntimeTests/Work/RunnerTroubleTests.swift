import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// Runners whose ledger is full, damaged, or ends.
@Suite(.timeLimit(.minutes(5)))
struct RunnerTroubleTests {
  private let log = AwaitedLog()

  // MARK: A full ledger

  @Test func dueWorkWaitsForRoom() async throws {
    let store = ScarceStore()
    let ledger = try await openWork(on: store, log: log) { _, call in call.attempt }
    let promise = try await ledger.start(ScriptedWork())
    store.fill()
    let value = try await running(LedgerRunner(ledger)) {
      await log.message("due work cannot be started yet")
      store.makeRoom()
      return try await promise.outcome.get()
    }
    #expect(value == 1)
  }

  @Test func theEndOfAnAttemptWaitsForRoom() async throws {
    let store = ScarceStore()
    let ledger = try await openWork(on: store, log: log) { _, call in
      store.fill()
      return call.attempt
    }
    let promise = try await ledger.start(ScriptedWork())
    let value = try await running(LedgerRunner(ledger)) {
      await log.message("the end of an attempt cannot be recorded yet")
      #expect(try await promise.record?.status == .pending)
      store.makeRoom()
      return try await promise.outcome.get()
    }
    #expect(value == 1)
  }

  @Test func aStepWaitsForRoomAndItsBodyRunsOnce() async throws {
    let store = ScarceStore()
    let notes = Notes()
    let ledger = try await openWork(on: store, log: log) { _, call in
      try await call.step("one") { _ in
        notes.add("body")
        store.fill()
      }
      return call.attempt
    }
    let promise = try await ledger.start(ScriptedWork())
    let value = try await running(LedgerRunner(ledger)) {
      await log.message("work cannot go on yet")
      store.makeRoom()
      return try await promise.outcome.get()
    }
    #expect(value == 1 && notes.lines == ["body"])
  }

  @Test func anOutcomeThatPassesOnWaitsForRoom() async throws {
    let store = ScarceStore()
    let ledger = try await openWork(on: store, log: log)
    let first = try await ledger.createPromise(of: Int.self)
    let second = try await first.then(ScriptedWork.self)
    // It is stored beside its event, so only a runner passes it on.
    let error = StoredError(domain: "d", message: String(repeating: "x", count: 100_000))
    try await first.reject(error)
    store.fill()
    let outcome = try await running(LedgerRunner(ledger)) {
      await log.message("due work cannot be started yet")
      #expect(try await second.record?.status == .pending)
      store.makeRoom()
      return try await second.outcome
    }
    #expect(outcome == .rejected(error))
  }

  @Test func aRunnerEndsThoughTheLedgerIsFullAndGivesItsWorkBack() async throws {
    let store = ScarceStore()
    let ledger = try await openWork(on: store, log: log) { _, call in
      if call.attempt == 1 { store.fill() }
      return call.attempt
    }
    let promise = try await ledger.start(ScriptedWork())
    let runner = Task {
      try await LedgerRunner(ledger, limits: .init(gracePeriod: .zero)).run()
    }
    await log.message("the end of an attempt cannot be recorded yet")
    runner.cancel()
    try await runner.value
    // Giving back needs no room.
    #expect(try await promise.record?.work?.state == .waiting(.now))
    store.makeRoom()
    #expect(try await running(LedgerRunner(ledger)) { try await promise.outcome.get() } == 2)
  }

  @Test func noWorkStartsInALedgerThatIsAlmostFull() async throws {
    let store = ScarceStore()
    let ledger = try await openWork(on: store, log: log) { _, call in
      try await call.step("one") { _ in
        store.room = CommitRoom(bytes: .max, bytesWithReserve: .max, isScarce: true)
      }
      return call.attempt
    }
    let running = try await ledger.start(ScriptedWork())
    let runner = Task { try await LedgerRunner(ledger).run() }
    // Work that runs uses the rest of the room.
    #expect(try await running.outcome == .fulfilled(1))
    let waiting = try await ledger.start(ScriptedWork())
    await log.message("due work cannot be started yet")
    #expect(try await waiting.record?.work?.attemptCount == 0)
    store.makeRoom()
    #expect(try await waiting.outcome == .fulfilled(1))
    runner.cancel()
    try await runner.value
  }

  @Test func theLastPartOfTheFileIsForWorkThatRuns() async throws {
    let temporary = try TemporaryLedger()
    var configuration = LedgerConfiguration()
    configuration.automaticCompaction = nil
    configuration.sizeLimitInBytes = 16 << 20
    let ledger = try await temporary.open(configuration: configuration)
    let claim = ClaimWork([], runnableKinds: [])
    var byteCount = 0
    do {
      while byteCount < 32 << 20 {
        _ = try await ledger.engine.submit(claim)
        let promise = try await ledger.createPromise(of: [UInt8].self)
        try await promise.fulfill([UInt8](repeating: 1, count: 100_000))
        byteCount += 100_000
      }
      Issue.record("It is never almost full.")
    } catch let error as LedgerError {
      #expect(error.code == .ledgerFull && error.message.contains("almost"))
    }
    // The last eighth of 12 MiB.
    #expect(byteCount > 9 << 20 && byteCount < 11 << 20)
    let promise = try await ledger.createPromise(of: [UInt8].self)
    try await promise.fulfill([UInt8](repeating: 1, count: 100_000))
  }

  // MARK: Damage

  @Test func anOutcomeThatCannotBeReadDoesNotHoldUpOtherWork() async throws {
    let store = ScarceStore()
    let ledger = try await openWork(on: store, log: log) { _, _ in 3 }
    let first = try await ledger.createPromise(of: Int.self)
    let second = try await first.then(ScriptedWork.self)
    let error = StoredError(domain: "d", message: String(repeating: "x", count: 100_000))
    try await first.reject(error)
    store.damageAttachments()
    try await running(LedgerRunner(ledger)) { () async throws in
      #expect(try await ledger.start(ScriptedWork()).outcome == .fulfilled(3))
      await log.message("an outcome cannot be passed on")
    }
    #expect(try await second.record?.status == .pending)
  }

  // MARK: Ends

  @Test(arguments: [LedgerError.Code.sealed, .sessionEnded, .historyChanged, .forkedProcess])
  func aRunnerEndsWithTheErrorThatEndsItsSession(code: LedgerError.Code) async throws {
    let store = FailingStore()
    let ledger = try await openWork(on: store)
    let promise = try await ledger.start(ScriptedWork())
    store.fail(at: .beginCommit, code)
    await expectError(code) {
      try await LedgerRunner(ledger, limits: .init(gracePeriod: .zero)).run()
    }
    await expectError(code) { try await promise.fulfill(1) }
  }

  // MARK: Lanes

  @Test func manyWorksOfOtherKindsAtTheHeadOfAWideLaneDoNotHideItsRest() async throws {
    let ledger = try await openWork(on: InMemoryEventStore()) { _, _ in 3 }
    let lane = WorkOptions(lane: try WorkLane("wide", width: 64))
    for _ in 0..<40 { try await ledger.start(OtherWork(), options: lane) }
    let promise = try await ledger.start(ScriptedWork(), options: lane)
    #expect(try await running(LedgerRunner(ledger)) { try await promise.outcome.get() } == 3)
  }

  // MARK: The main actor

  @MainActor @Test func aRunnerDoesNotNeedTheActorThatStartedIt() async throws {
    let ledger = try await openWork(on: InMemoryEventStore()) { _, _ in 3 }
    let runner = Task { @MainActor in try await LedgerRunner(ledger).run() }
    _ = try await ledger.start(ScriptedWork()).outcome
    let settled = Flag()
    let promise = try await ledger.start(ScriptedWork(), at: .now + .milliseconds(20))
    let watcher = Task.detached {
      _ = try await promise.outcome
      settled.set()
    }
    // The actor is busy all the time.
    let end = ContinuousClock().now + .seconds(20)
    while !settled.isSet, ContinuousClock().now < end {}
    #expect(settled.isSet)
    runner.cancel()
    try await runner.value
    try await watcher.value
  }
}
