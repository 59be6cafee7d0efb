import PromiseLedger
import PromiseLedgerTesting
import Testing

/// Processes that freeze, stop, die and come back, in memory and on files.
@Suite(.timeLimit(.minutes(5)))
struct LedgerProcessTests {
  static let storages: [(name: String, storage: LedgerStorage)] = [
    ("memory", .memory), ("files", .files),
  ]

  @Test(arguments: storages)
  func aFrozenProcessCatchesUp(name: String, storage: LedgerStorage) async throws {
    try await withLedger(storage) { tester in
      let (app, other) = (try await tester.app(), try await tester.appExtension())
      let promise = try await app.ledger.createPromise(of: Int.self)
      try await app.freeze()
      #expect(app.condition == .frozen)
      try await other.promise(promise).fulfill(1)
      try await app.unfreeze()
      #expect(app.condition == .running)
      #expect(try await promise.consume() == 1)
    }
  }

  @Test func aFrozenProcessRunsNothing() async throws {
    try await withLedger { tester in
      let app = try await tester.app()
      try await app.freeze()
      let error = await #expect(throws: LedgerError.self) { try await tester.runDue(app) }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func aCommitThatIsHeldUpWaitsForTheEndOfASuspensionToo() async throws {
    try await withLedger { tester in
      let (app, other) = (try await tester.app(), try await tester.appExtension())
      let promise = try await app.ledger.createPromise(of: Int.self)
      let gate = FaultGate()
      try tester.plan([.delay(.append, until: gate)], for: app)
      let late = Task { try await promise.fulfill(1) }
      try await gate.arrival()
      try await app.suspend()
      gate.open()
      // Time enough for a writer that is not held up.
      for _ in 0..<100 { #expect(try await other.promise(promise).record?.status == .pending) }
      try await app.resume()
      #expect(try await late.value.isSuccess)
    }
  }

  @Test(arguments: storages)
  func aSuspendedProcessWritesNothingUntilItIsResumed(
    name: String, storage: LedgerStorage
  ) async throws {
    try await withLedger(storage) { tester in
      let (app, other) = (try await tester.app(), try await tester.appExtension())
      let promise = try await app.ledger.createPromise(of: Int.self)
      try await app.suspend()
      #expect(app.condition == .suspended)
      let late = Task { try await promise.fulfill(1) }
      // Time enough for a writer that is not held up.
      for _ in 0..<100 { _ = try await other.ledger.createPromise(of: Int.self) }
      #expect(try await other.promise(promise).record?.status == .pending)
      // The command of the suspended process waits, so the other one is first.
      let first = try await other.promise(promise).fulfill(2)
      #expect(first.isSuccess)
      #expect(try await other.ledger.openSessions().count == 2)
      try await app.resume()
      #expect(try await late.value.isSuccess == false)
      #expect(try await promise.consume() == 2)
    }
  }

  @Test(arguments: storages)
  func aSuspendedProcessNoticesNoDeadline(name: String, storage: LedgerStorage) async throws {
    try await withLedger(storage) { tester in
      let app = try await tester.app()
      let deadline = tester.clock.now() + .seconds(60)
      let promise = try await app.ledger.createPromise(of: Int.self, deadline: deadline)
      let head = try await app.ledger.catchUp()
      try await app.suspend()
      try await tester.advance(by: .seconds(3_600))
      #expect(try await app.ledger.catchUp() == head)
      try await tester.when { try await app.resume() }
        .then(.promiseResolved(promise, .timedOut))
    }
  }

  /// Its thread would wait for ever otherwise.
  @Test func aSuspendedProcessGoesOnWhenItsTesterIsGone() async throws {
    let command = try await {
      let tester = LedgerTester()
      let app = try await tester.app()
      let promise = try await app.ledger.createPromise(of: Int.self)
      try await app.suspend()
      return withExtendedLifetime(tester) { Task { try await promise.fulfill(1).isSuccess } }
    }()
    let impatience = Task {
      try await Task.sleep(for: .seconds(30))
      command.cancel()
    }
    #expect(try await command.value)
    impatience.cancel()
  }

  @Test func aSuspendedProcessCannotBeUsed() async throws {
    try await withLedger { tester in
      let app = try await tester.app()
      try await app.suspend()
      try await app.suspend()
      for command in ["freeze", "unfreeze", "run"] {
        let error = await #expect(throws: LedgerError.self) {
          switch command {
          case "freeze": try await app.freeze()
          case "unfreeze": try await app.unfreeze()
          default: try await tester.runDue(app)
          }
        }
        #expect(error?.code == .invalidArgument)
      }
      try await app.resume()
      try await app.resume()
      try await app.freeze()
      // A frozen process does nothing anyway.
      try await app.suspend()
      #expect(app.condition == .frozen)
      try await app.unfreeze()
    }
  }

  @Test(arguments: storages)
  func aKilledProcessIsFoundDead(name: String, storage: LedgerStorage) async throws {
    try await withLedger(storage) { tester in
      let (app, other) = (try await tester.app(), try await tester.appExtension())
      for condition in [LedgerProcess.Condition.running, .suspended, .frozen] {
        if condition == .suspended { try await app.suspend() }
        if condition == .frozen { try await app.freeze() }
        try await tester.when { await app.kill() }.then(.sessionClosed(app, .died))
        #expect(app.condition == .killed)
        #expect(try await other.ledger.openSessions().map(\.id) == [other.ledger.session])
        try await app.restart()
      }
    }
  }

  @Test(arguments: storages)
  func aRestartedProcessHasANewSession(name: String, storage: LedgerStorage) async throws {
    try await withLedger(storage) { tester in
      let app = try await tester.app()
      let (old, key) = (app.ledger.session, try PromiseKey("kept"))
      let promise = try await app.ledger.findOrCreatePromise(key: key, of: Int.self)
      try await promise.fulfill(1)
      // The death of the old session is noticed by the new one.
      try await tester.when { try await app.restart() }
        .then(.sessionClosed(app, .died), .sessionOpened(app))
      #expect(app.ledger.session != old)
      #expect(try await app.ledger.stalePromises().map(\.id) == [promise.id])
      #expect(try await app.promise(promise).consume() == 1)
    }
  }

  @Test func commandsOfAKilledProcessFail() async throws {
    try await withLedger { tester in
      let app = try await tester.app()
      let promise = try await app.ledger.createPromise(of: Int.self)
      let waiter = Task { try await promise.consume() }
      try await app.suspend()
      let command = Task { try await promise.fulfill(1) }
      await app.kill()
      for result in [await waiter.result.map { _ in }, await command.result.map { _ in }] {
        let error = #expect(throws: LedgerError.self) { try result.get() }
        #expect(error?.code == .sessionEnded)
      }
    }
  }

  @Test func timePassesWithoutAProcess() async throws {
    try await withLedger { tester in
      let app = try await tester.app()
      let deadline = tester.clock.now() + .seconds(60)
      let promise = try await app.ledger.createPromise(of: Int.self, deadline: deadline)
      try await app.freeze()
      try await tester.advance(by: .seconds(60))
      try await tester.when { try await app.unfreeze() }
        .then(.promiseResolved(promise, .timedOut), .sessionUnfrozen(app))
    }
  }

  @Test func aTesterEndsItsProcesses() async throws {
    let app = try await withLedger { tester in try await tester.app() }
    let error = await #expect(throws: LedgerError.self) {
      try await app.ledger.createPromise(of: Int.self)
    }
    #expect(error?.code == .closed)
  }
}
