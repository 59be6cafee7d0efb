import LedgerModelTestSupport
import LedgerSystem
import LedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerLMDB
@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Situations that only the store on disk can meet.
@Suite(.timeLimit(.minutes(10))) struct LMDBEventStoreTests {
  private let temporary: TemporaryLedger
  private let faults = FaultInjector()

  init() throws { temporary = try TemporaryLedger() }

  private func open(_ hooks: StoreHooks = StoreHooks()) throws -> StoreUnderTest {
    var options = StoreOptions(sizeLimit: 1 << 30)
    options.environment.faults = faults
    options.hooks = hooks
    let store = try LMDBEventStore.openOrCreate(
      LedgerDirectory(temporary.path), options: options,
      newLedgerID: LedgerID(entityID: EntityID(high: 1, low: 1)), now: .at(0))
    return StoreUnderTest(store: store)
  }

  /// Other processes wait for the gate with a limit, and for the lock of LMDB without one.
  @Test func aStoreThatClosesKeepsTheGateUntilItsTransactionEnds() async throws {
    let (began, goOn) = (WakeSemaphore(), WakeSemaphore())
    var hooks = StoreHooks()
    hooks.beforeCommit = {
      began.signal()
      _ = goOn.wait(timeout: .seconds(60))
    }
    let store = try open(hooks).store
    let other = try open().store
    let endings = Endings()
    _ = try SystemThread.start(name: "writing") {
      defer { endings.count.add(1, ordering: .releasing) }
      guard (try? store.beginCommit(Patience(.seconds(60)))) != nil else { return }
      _ = try? store.append(
        StoreSubject.batch(1), CommitID(session: .numbered(1), number: 1), after: .start)
      store.endCommit()
    }
    _ = try SystemThread.start(name: "closing") {
      _ = began.wait(timeout: .seconds(60))
      store.close()
      endings.count.add(1, ordering: .releasing)
    }
    while (try? store.head()) != nil { await Task.yield() }
    let error = #expect(throws: LedgerError.self) {
      _ = try other.beginCommit(Patience(.milliseconds(300)))
      other.endCommit()
    }
    #expect(error?.code == .writerStalled)
    goOn.signal()
    while endings.count.load(ordering: .acquiring) < 2 { await Task.yield() }
    other.close()
  }

  private final class Endings: Sendable {
    let count = Atomic(0)
  }

  #if DEBUG
    @Test func theNextCommitOpensAnEnvironmentThatCouldNotBeOpenedAfterAPanic() throws {
      let subject = try open()
      try subject.append(3)
      faults.force(.panic, on: .commit)
      faults.force(.system(.inputOutput), on: .openEnvironment)
      let error = #expect(throws: LedgerError.self) {
        try subject.append(1, number: 2, after: Position(rawValue: 3))
      }
      #expect(error?.code == .commitOutcomeUnknown)
      #expect(faults.firedCount == 2)

      try subject.append(2, number: 3, after: Position(rawValue: 3))
      #expect(try subject.events().map(\.position.rawValue) == [1, 2, 3, 4, 5])
    }

    @Test func aReadOpensAnEnvironmentThatCouldNotBeOpenedAfterAPanic() throws {
      let subject = try open()
      try subject.append(3)
      faults.force(.panic, on: .commit)
      faults.force(.system(.inputOutput), on: .openEnvironment)
      #expect(throws: LedgerError.self) {
        try subject.append(1, number: 2, after: Position(rawValue: 3))
      }
      #expect(try subject.store.head() == Position(rawValue: 3))
    }

    @Test func aReadWithinAReadDoesNotHoldUpTheWayOutOfAPanic() throws {
      let subject = try open()
      try subject.append(3)
      let store = try #require(subject.store as? LMDBEventStore)
      let environment = try store.environment
      faults.force(.panic, on: .commit)
      var writer: SystemThread?
      _ = try subject.store.read(after: .start, limit: 1) { (_) throws(LedgerError) in
        writer = try? SystemThread.start(name: "writer") {
          _ = try? store.commit(
            CommitID(session: StoreUnderTest.session, number: 2), after: Position(rawValue: 3),
            patience: Patience(.seconds(5)), catchUp: { _ in },
            decide: { (_, _) throws(LedgerError) in try StoreUnderTest.batch(1) })
        }
        // It waits for this read to end.
        while writer != nil, !environment.isClosed {
          _ = WakeSemaphore().wait(timeout: .milliseconds(1))
        }
        _ = try? store.head()
      }
      try #require(writer).join()
      #expect(try subject.store.head() == Position(rawValue: 3))
    }
  #endif

  @Test func aCommitWhoseOutcomeIsUnknownIsRecognizedBySessionAndNumber() throws {
    let subject = try open()
    let end = try subject.append(3)
    let store = try #require(subject.store as? LMDBEventStore)
    let own = CommitID(session: StoreUnderTest.session, number: 1)
    let others = [
      CommitID(session: own.session, number: 2),
      CommitID(session: SessionID(entityID: EntityID(high: 6, low: 6)), number: own.number),
    ]
    try store.passGate(Patience(.seconds(5)))
    defer { store.endCommit() }
    let cause = LMDBError(.panic, .commit)
    #expect(try store.findOutcome(of: own, after: .start, cause) == end)
    for commit in others {
      let error = #expect(throws: LedgerError.self) {
        try store.findOutcome(of: commit, after: .start, cause)
      }
      #expect(error?.code == .ioFailure)
    }
  }

  @Test func theNextCommitRemovesTheSealOfAKilledShrink() throws {
    let subject = try open()
    try subject.append(3)
    try seal()
    #expect(try subject.store.head() == Position(rawValue: 3))
    let store = try #require(subject.store as? LMDBEventStore)
    #expect(try store.openFiles.isSealed)
    try subject.append(1, number: 2, after: Position(rawValue: 3))
    #expect(try subject.store.head() == Position(rawValue: 4))
    #expect(try !store.openFiles.isSealed)
  }

  @Test func aSessionOpensOnFilesThatAKilledShrinkSealed() async throws {
    await (try temporary.open()).close()
    try seal()
    let inspector = try BlockingInspector(at: temporary.path)
    #expect(try inspector.events().last?.kind == .sessionClosed)
    await (try temporary.open()).close()
    #expect(try inspector.statistics().sessionCount == 2)
  }

  /// Does the first step of moving a ledger to another generation.
  private func seal() throws {
    let environment = try Environment.open(
      at: temporary.path + "/generation-000001", configuration: Configuration(),
      tables: LedgerTables.descriptions)
    let table = try environment.table(named: "meta")
    var metadata = try LMDBLog(environment).metadata()
    metadata.isSealed = true
    let (key, record) = (LedgerMetadata.key, metadata.encoded)
    try environment.write { transaction in
      try transaction.put(record.span, forKey: key.span, in: table)
    }
    try environment.close()
  }
}
