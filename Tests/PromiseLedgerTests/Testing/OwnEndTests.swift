import LedgerPromises
import PromiseLedger
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerRuntimeTesting

/// Code of a test's process that freezes or closes its own ledger, and what others do then.
@Suite(.timeLimit(.minutes(5)))
struct OwnEndTests {
  private static let rests: [LedgerProcess.Condition] = [.frozen, .closed]

  private static func rest(_ process: LedgerProcess, as condition: LedgerProcess.Condition)
    async throws
  {
    switch condition {
    case .frozen: try await process.ledger.freeze()
    default: await process.ledger.close()
    }
    #expect(process.condition == condition)
  }

  @Test(arguments: rests)
  func othersNoticeADeath(condition: LedgerProcess.Condition) async throws {
    try await withLedger { tester in
      let (app, other) = (try await tester.app(), try await tester.app())
      let worker = try await tester.appExtension()
      try await Self.rest(app, as: condition)
      try await tester.when { await worker.kill() }.then(.sessionClosed(worker, .died))
      #expect(try await other.ledger.openSessions().contains { $0.id == other.ledger.session })
    }
  }

  @Test(arguments: rests)
  func othersNoticeADeadline(condition: LedgerProcess.Condition) async throws {
    try await withLedger { tester in
      let (app, other) = (try await tester.app(), try await tester.app())
      let deadline = tester.clock.now() + .seconds(60)
      let promise = try await other.ledger.createPromise(of: Int.self, deadline: deadline)
      try await Self.rest(app, as: condition)
      try await tester.when { try await tester.advance(by: .seconds(60)) }
        .then(.promiseResolved(promise, .timedOut))
    }
  }

  @Test(arguments: rests)
  func waitingGoesOnWithAnother(condition: LedgerProcess.Condition) async throws {
    try await withLedger { tester in
      let (app, other) = (try await tester.app(), try await tester.app())
      let promise = try await other.ledger.createPromise(of: Int.self)
      let (isChecked, checker) = Promise<Void>.make()
      let waiting = Task {
        try await tester.wait(until: "the answer is there") {
          checker.fulfill(())
          return try await promise.record?.status == .resolved
        }
      }
      try await isChecked.value
      try await Self.rest(app, as: condition)
      try await promise.fulfill(1)
      try await waiting.value
    }
  }

  @Test func aFrozenLedgerMayBeThawedByCodeToo() async throws {
    try await withLedger { tester in
      let app = try await tester.app()
      try await app.freeze()
      try await app.ledger.unfreeze()
      #expect(app.condition == .running)
    }
  }

  @Test func aClosedProcessStartsAgain() async throws {
    try await withLedger { tester in
      let app = try await tester.app()
      let promise = try await app.ledger.createPromise(of: Int.self)
      try await tester.when { await app.close() }.then(.sessionClosed(app, .closed))
      #expect(app.condition == .closed)
      try await app.restart()
      #expect(app.condition == .running)
      #expect(try await app.promise(promise).fulfill(1).isSuccess)
    }
  }

  @Test func aSuspendedProcessIsClosed() async throws {
    try await withLedger { tester in
      let app = try await tester.app()
      try await app.suspend()
      try await tester.when { await app.close() }.then(.sessionClosed(app, .closed))
    }
  }

  /// Nobody runs when the other process dies.
  @Test(arguments: [LedgerProcess.Condition.frozen, .suspended])
  func aDeathIsNoticedAfterAPause(condition: LedgerProcess.Condition) async throws {
    try await withLedger { tester in
      let (app, other) = (try await tester.app(), try await tester.appExtension())
      if condition == .frozen { try await app.freeze() } else { try await app.suspend() }
      try await tester.when { await other.kill() }.thenNothing()
      if condition == .frozen {
        try await tester.when { try await app.unfreeze() }
          .then(.sessionUnfrozen(app), .sessionClosed(other, .died))
      } else {
        try await tester.when { try await app.resume() }.then(.sessionClosed(other, .died))
      }
    }
  }

  @Test func aKillDoesNotWaitForAHeldUpProcessForEver() async throws {
    let tester = LedgerTester(patience: .milliseconds(50))
    let (app, other) = (try await tester.app(), try await tester.appExtension())
    let promise = try await app.ledger.createPromise(of: Int.self)
    let gate = FaultGate()
    try tester.plan([.delay(.beginCommit, until: gate)], for: app)
    let late = Task { try await promise.fulfill(1).isSuccess }
    try await gate.arrival()
    await other.kill()
    #expect(try await app.ledger.openSessions().count == 2)
    gate.open()
    #expect(try await late.value)
    // It has noticed the death before.
    try await tester.wait(until: "the death is recorded") {
      try await app.ledger.openSessions().map(\.id) == [app.ledger.session]
    }
    await tester.close()
  }

  @Test func aKillWaitsForAllHeldUpProcessesTogether() async throws {
    let patience = Duration.milliseconds(50)
    let tester = LedgerTester(patience: patience)
    let gate = FaultGate()
    for _ in 0..<3 {
      let process = try await tester.app()
      try tester.plan([.delay(.beginCommit, until: gate)], for: process)
    }
    let other = try await tester.appExtension()
    let gone = other.ledger.session
    await other.kill()
    let error = await #expect(throws: WaitedInVain.self) {
      try await tester.giveBackRuns(of: [gone])
    }
    #expect(error?.patience == patience)
    gate.open()
    await tester.close()
  }

  @Test func aProcessThatIsHeldUpLeavesADeathToAnother() async throws {
    let tester = LedgerTester(patience: .seconds(60))
    // They notice nothing by themselves.
    var configuration = LedgerConfiguration()
    configuration.pollInterval = .seconds(3_600)
    let app = try await tester.open(configuration)
    let other = try await tester.appExtension()
    let third = try await tester.open(configuration, as: .appExtension)
    let promise = try await app.ledger.createPromise(of: Int.self)
    let gate = FaultGate()
    try tester.plan([.delay(.beginCommit, until: gate)], for: app)
    let late = Task { try await promise.fulfill(1).isSuccess }
    try await gate.arrival()
    let gone = other.ledger.session
    await other.kill()
    #expect(try await !third.ledger.openSessions().map(\.id).contains(gone))
    gate.open()
    #expect(try await late.value)
    await tester.close()
  }

  @Test func aKillHasItsEffectAfterACompactionToo() async throws {
    try await withLedger { tester in
      let (app, other) = (try await tester.app(), try await tester.appExtension())
      var policy = CompactionPolicy()
      policy.eventRetention = .zero
      policy.minimumEventCount = 0
      #expect(try await app.ledger.compact(policy).deletedEvents > 0)
      let gate = FaultGate()
      try tester.plan([.delay(.append, until: gate)], for: app)
      let isOver = Mutex(false)
      let kill = Task {
        await other.kill()
        isOver.withLock { $0 = true }
      }
      try await gate.arrival()
      // Time enough for a kill that waits for nothing.
      for _ in 0..<100 { #expect(try await app.ledger.openSessions().count == 2) }
      let wasTooEarly = isOver.withLock { $0 }
      #expect(!wasTooEarly)
      gate.open()
      await kill.value
      #expect(try await app.ledger.openSessions().map(\.id) == [app.ledger.session])
    }
  }

  /// No event of the ledger tells of it.
  @Test func aConditionMayBeAboutSomethingElse() async throws {
    try await withLedger { tester in
      _ = try await tester.app()
      let (isChecked, checker) = Promise<Void>.make()
      let isDone = Mutex(false)
      let waiting = Task {
        try await tester.wait(until: "it is done", patience: .seconds(30)) {
          defer { checker.fulfill(()) }
          return isDone.withLock { $0 }
        }
      }
      try await isChecked.value
      isDone.withLock { $0 = true }
      try await waiting.value
    }
  }

  @Test func aCommandThatDeletesItsOwnEventsIsRefused() async throws {
    try await withLedger { tester in
      let app = try await tester.app()
      let promise = try await app.ledger.createPromise(of: Int.self)
      var policy = CompactionPolicy()
      policy.eventRetention = .zero
      policy.minimumEventCount = 0
      // By itself, a compaction deletes earlier events only.
      try await tester.when { try await app.ledger.compact(policy) }
        .then(.event(.snapshotTaken), .event(.eventsDeleted))
      let error = await #expect(throws: LedgerError.self) {
        try await tester.when {
          try await promise.fulfill(1)
          try await app.ledger.compact(policy)
        }
      }
      #expect(error?.code == .eventsDeleted)
    }
  }
}
