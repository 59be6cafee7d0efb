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

    /// How long each commit was allowed to wait since ``keep()``.
    var timeouts: [Duration] { waits.withLock { $0 ?? [] } }

    /// Lets the next commit wait before it writes, until it is released.
    func hold() { isHeld.store(true, ordering: .releasing) }
    func release() { released.signal() }
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
    store.release()
    #expect(try await isFrozen)
    #expect(inbox.commandCount == 0)
    try await ledger.unfreeze()
    _ = try await (first, second)
    await ledger.close()
  }

  private func open(_ store: KeptStore, freezeTimeout: Duration) async throws -> Ledger {
    var configuration = LedgerConfiguration()
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
