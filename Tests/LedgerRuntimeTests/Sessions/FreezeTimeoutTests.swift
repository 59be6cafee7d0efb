import LedgerModelTestSupport
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

    func keep() { waits.withLock { $0 = [] } }

    /// How long each commit was allowed to wait since ``keep()``.
    var timeouts: [Duration] { waits.withLock { $0 ?? [] } }

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
    var configuration = LedgerConfiguration()
    configuration.logger = AwaitedLog().logger
    configuration.freezeTimeout = .seconds(60)
    let ledger = try await Ledger.open(
      { () throws(LedgerError) in store }, UnwatchedSessions(), as: .app,
      configuration: configuration)
    store.keep()
    #expect(try await ledger.freeze() == false)
    let timeout = try #require(store.timeouts.last)
    #expect(timeout > .seconds(30) && timeout <= .seconds(60))
    await ledger.close()
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
