import LedgerModelTestSupport
import LedgerSystem
import PromiseLedgerTestSupport
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// How long a freeze waits for a store that another writer keeps.
@Suite(.timeLimit(.minutes(1))) struct FreezeTimeoutTests {
  /// A store that another writer keeps once it is told so.
  private final class KeptStore: ForwardingStore {
    let store = InMemoryEventStore()
    private let waits = Mutex<[Duration]?>(nil)
    private let isHeld = Atomic<Bool>(false)
    private let isReached = Atomic<Bool>(false)
    private let released = WakeSemaphore()

    func keep() { waits.withLock { $0 = [] } }
    func release() { waits.withLock { $0 = nil } }

    /// How long each commit was allowed to wait since ``keep()``.
    var timeouts: [Duration] { waits.withLock { $0 ?? [] } }

    /// Lets the next commit wait before it writes, until it is released.
    func hold() { isHeld.store(true, ordering: .releasing) }
    func releaseCommit() { released.signal() }
    var holdsCommit: Bool { isReached.load(ordering: .acquiring) }

    func append(
      _ batch: EventBatch, _ commit: CommitID, after base: Position
    ) throws(LedgerError) -> AppendOutcome {
      if isHeld.exchange(false, ordering: .acquiringAndReleasing) {
        isReached.store(true, ordering: .releasing)
        _ = released.wait(timeout: .seconds(60))
      }
      return try store.append(batch, commit, after: base)
    }

    func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn {
      let isKept = waits.withLock { waits in
        waits?.append(patience.timeout)
        return waits != nil
      }
      guard !isKept else { throw .writerStalled(nil, patience.waitInAll) }
      return try store.beginCommit(patience)
    }
  }

  @Test func aFreezeWaitsForAsLongAsTheConfigurationSays() async throws {
    let store = KeptStore()
    let ledger = try await open(store, freezeTimeout: .seconds(60))
    store.keep()
    #expect(try await ledger.freeze() == false)
    let timeout = try #require(store.timeouts.last)
    #expect(timeout > .seconds(30) && timeout <= .seconds(60))
    // It is not recorded now either.
    #expect(try await ledger.freeze() == false)
    await ledger.close()
  }

  @Test func atZeroAFreezeStillWritesIfNobodyKeepsTheStore() async throws {
    let store = KeptStore()
    let ledger = try await open(store, freezeTimeout: .zero)
    #expect(try await ledger.freeze())
    try await ledger.unfreeze()
    store.keep()
    #expect(try await ledger.freeze() == false)
    #expect(store.timeouts.first == .zero)
    await ledger.close()
  }

  @Test func atZeroAFreezeWritesTheCommandsThatAreWaiting() async throws {
    let store = KeptStore()
    let ledger = try await open(store, freezeTimeout: .zero)
    let inbox = ledger.engine.inbox
    store.hold()
    async let first = ledger.createPromise(of: Int.self)
    while !store.holdsCommit { try await Task.sleep(for: .milliseconds(1)) }
    async let second = ledger.createPromise(of: Int.self)
    while !inbox.hasCommands { try await Task.sleep(for: .milliseconds(1)) }
    async let isFrozen = ledger.freeze()
    while !inbox.hasRequests { try await Task.sleep(for: .milliseconds(1)) }
    store.releaseCommit()
    #expect(try await isFrozen)
    #expect(inbox.commandCount == 0)
    try await ledger.unfreeze()
    _ = try await (first, second)
    await ledger.close()
  }

  /// By the log they run, and others take them over at their time.
  @Test func attemptsTakeTheirTimeInAFreezeThatIsNotRecorded() async throws {
    let (store, clock, gate) = (KeptStore(), ManualLedgerClock(), Gate())
    var configuration = LedgerConfiguration()
    configuration.clock = clock
    try configuration.handlers.register(ScriptedWork.self) {
      ScriptedWork.Script { _, _ in
        await gate.arrive()
        do { try await Task.sleep(for: .seconds(1_000_000)) } catch { await gate.arrive() }
        return 1
      }
    }
    let ledger = try await open(store, freezeTimeout: .zero, configuration)
    let promise = try await ledger.start(
      ScriptedWork(), options: WorkOptions(attemptTimeout: .seconds(60)))
    try await running(LedgerRunner(ledger)) {
      await gate.arrival()
      store.keep()
      #expect(try await ledger.freeze() == false)
      clock.advance(by: .seconds(60))
      // It is cancelled.
      await gate.arrival(2)
      store.release()
      try await ledger.unfreeze()
      #expect(try await promise.outcome == .fulfilled(1))
    }
    await ledger.close()
  }

  /// Sessions that cannot be noted outside the log once they are frozen.
  private struct UnnotedSessions: SessionRegistry {
    final class Hold: SessionHold {
      func freeze() throws(LedgerError) { throw LedgerError(.diskFull, "No note.") }
      func end() {}
    }

    func begin(_ session: SessionID) -> any SessionHold { Hold() }

    func findings(of sessions: [SessionEntity]) -> [SessionFinding] {
      UnwatchedSessions().findings(of: sessions)
    }

    func deadSessions() -> [SessionID] { [] }
    func removeLeftovers(of sessions: [SessionID]) {}
  }

  @Test func freezingAgainHasTheSameError() async throws {
    let store = InMemoryEventStore()
    let ledger = try await Ledger.open(
      { () throws(LedgerError) in store }, UnnotedSessions(), as: .app)
    for _ in 0..<2 {
      await expectError(.diskFull) { try await ledger.freeze() }
    }
    try await ledger.unfreeze()
    await ledger.close()
  }

  private func open(
    _ store: KeptStore, freezeTimeout: Duration,
    _ configuration: LedgerConfiguration = LedgerConfiguration()
  ) async throws -> Ledger {
    var configuration = configuration
    configuration.logger = AwaitedLog().logger
    configuration.freezeTimeout = freezeTimeout
    return try await Ledger.open(
      { () throws(LedgerError) in store }, UnwatchedSessions(), as: .app,
      configuration: configuration)
  }

  @Test func aNegativeTimeLimitIsRefused() async throws {
    var configuration = LedgerConfiguration()
    configuration.freezeTimeout = .milliseconds(-1)
    await expectError(.invalidArgument) {
      _ = try await Ledger.open(
        { () throws(LedgerError) in InMemoryEventStore() }, UnwatchedSessions(), as: .app,
        configuration: configuration)
    }
  }
}
