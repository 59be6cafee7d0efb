import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// Work that a session creates while its own runner has room.
@Suite(.timeLimit(.minutes(5)))
struct NewWorkTests {
  private let store = ScarceStore()
  private let gate = Gate()

  /// A ledger whose code has three steps; that of named work passes the gate instead.
  private func open() async throws -> Ledger {
    try await openWork(on: store) { [gate] work, call in
      guard work.name == nil else {
        await gate.pass()
        return 0
      }
      for name in ["one", "two", "three"] { try await call.step(name) { _ in } }
      return 3
    }
  }

  /// Runs `body` once the runner has run other work.
  private func withRunner(
    of ledger: Ledger, total: Int = 64, _ body: () async throws -> Void
  ) async throws {
    try await running(LedgerRunner(ledger, limits: .init(total: total))) {
      _ = try await ledger.start(ScriptedWork()).outcome
      try await body()
    }
  }

  @Test func threeStepsTakeFiveCommits() async throws {
    let ledger = try await open()
    // A runner that has looked once and rests: while one looks, new work waits for it.
    let loop = try WorkLoop(ledger, kinds: nil, RunnerLimits())
    try loop.begin()
    try await loop.look()
    let count = try store.store.commitEnds().count
    let promise = try await ledger.start(ScriptedWork())
    #expect(try await promise.outcome == .fulfilled(3))
    #expect(try store.store.commitEnds().count == count + 5)
    #expect(try await promise.record?.work?.attemptCount == 1)
    await loop.stop(after: .zero)
    loop.end()
  }

  @Test func aSecondRequestWithTheSameKeyStartsNothing() async throws {
    let ledger = try await open()
    try await withRunner(of: ledger) {
      let key = try PromiseKey("once")
      let first = try await ledger.start(ScriptedWork(), key: key)
      let second = try await ledger.start(ScriptedWork(), key: key)
      #expect(first.id == second.id)
      #expect(try await second.outcome == .fulfilled(3))
      #expect(try await second.record?.work?.attemptCount == 1)
    }
  }

  @Test func workThatTwoTasksCreateTakesOnePlace() async throws {
    let ledger = try await open()
    let kind = ScriptedWork.kind
    let loop = try WorkLoop(ledger, kinds: nil, RunnerLimits(total: 4, kinds: [kind: 2]))
    try loop.begin()
    try await loop.look()
    let id = try PromiseKey("once").promiseID
    #expect(loop.reserve(id, kind: kind))
    #expect(!loop.reserve(id, kind: kind))
    #expect(loop.contents.withLock { $0.counts[kind] } == 1)
    loop.end()
  }

  /// As its cancellation does, in a commit right after the one that creates it.
  @Test func whatHappensToNewWorkBeforeItsCodeBeginsIsSeen() async throws {
    let ledger = try await open()
    let loop = try WorkLoop(ledger, kinds: nil, RunnerLimits())
    try loop.begin()
    try await loop.look()
    let order = WorkOrder(
      ScriptedWork.self, HandlerArguments(), trigger: .now, key: try PromiseKey("once"),
      options: WorkOptions(), lifetime: .untilSettled, label: nil, tags: [], deadline: nil)
    let (creation, _) = try ledger.creation(of: order)
    #expect(loop.reserve(creation.id, kind: ScriptedWork.kind))
    _ = try await ledger.engine.submit(creation)
    try await loop.lookAtRunning([creation.id])
    #expect(loop.contents.withLock { $0.changedEarly.isEmpty })
    try await ledger.cancelWork(creation.id)
    try await loop.lookAtRunning([creation.id])
    #expect(loop.contents.withLock { $0.changedEarly } == [creation.id])
    _ = try await loop.create(creation)
    #expect(loop.contents.withLock { $0.changed.contains(creation.id) })
    #expect(loop.contents.withLock { $0.changedEarly.isEmpty })
    await loop.stop(after: .zero)
    loop.end()
  }

  @Test func newWorkDoesNotOvertakeWorkThatTheRunnerIsLookingFor() async throws {
    let ledger = try await open()
    let loop = try WorkLoop(ledger, kinds: nil, RunnerLimits(total: 1))
    try loop.begin()
    try await loop.look()
    // It may have missed other work, and searches again.
    loop.contents.withLock { contents in
      contents.agenda.noteMissed()
      contents.agenda.begin(contents.agenda.searchPlan(at: loop.now))
    }
    let promise = try await ledger.start(ScriptedWork())
    #expect(try await promise.record?.work?.attemptCount == 0)
    loop.end()
  }

  @Test func workThatHasNoPlaceWaitsForTheRunner() async throws {
    let ledger = try await open()
    try await withRunner(of: ledger, total: 1) {
      let first = try await ledger.start(ScriptedWork(name: "first"))
      await gate.arrival()
      let second = try await ledger.start(ScriptedWork())
      #expect(try await second.record?.work?.attemptCount == 0)
      gate.open()
      #expect(try await first.outcome == .fulfilled(0))
      #expect(try await second.outcome == .fulfilled(3))
    }
  }

  @Test func workOfAFullLaneWaitsForItsTurn() async throws {
    let ledger = try await open()
    let lane = WorkOptions(lane: try WorkLane("lane"))
    try await withRunner(of: ledger) {
      let first = try await ledger.start(ScriptedWork(name: "first"), options: lane)
      await gate.arrival()
      let second = try await ledger.start(ScriptedWork(), options: lane)
      #expect(try await second.record?.work?.attemptCount == 0)
      gate.open()
      #expect(try await first.outcome == .fulfilled(0))
      #expect(try await second.outcome == .fulfilled(3))
    }
  }

  @Test func workThatIsCreatedInAnAlmostFullLedgerWaitsForRoom() async throws {
    let ledger = try await open()
    try await withRunner(of: ledger) {
      store.room = CommitRoom(bytes: .max, bytesWithReserve: .max, isScarce: true)
      let promise = try await ledger.start(ScriptedWork())
      #expect(try await promise.record?.work?.attemptCount == 0)
      store.makeRoom()
      #expect(try await promise.outcome == .fulfilled(3))
    }
  }

  @Test func workThatIsCreatedWhenTheRunnerHasEndedIsNotStarted() async throws {
    let ledger = try await open()
    try await withRunner(of: ledger) {}
    let promise = try await ledger.start(ScriptedWork())
    #expect(try await promise.record?.work?.attemptCount == 0)
  }

  @Test func manyAtOnceDoNotExceedTheLimits() async throws {
    let ledger = try await open()
    try await withRunner(of: ledger, total: 3) {
      let promises = try await withThrowingTaskGroup(of: DurablePromise<Int>.self) { group in
        for _ in 0..<20 {
          group.addTask { try await ledger.start(ScriptedWork(name: "many")) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      await gate.arrival(3)
      let session = ledger.session
      #expect(try await ledger.engine.read { try $0.runningWork(of: session).count } == 3)
      gate.open()
      for promise in promises { #expect(try await promise.outcome == .fulfilled(0)) }
    }
  }
}
