import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// The thread that waits for changes of the store.
@Suite(.timeLimit(.minutes(5))) struct ListenerTests {
  /// A store whose count of changes is that of how often it was read.
  private final class CountingStore: ForwardingStore {
    let store = InMemoryEventStore()
    private let contents = Mutex((readCount: UInt32(0), waits: [UInt32]()))

    /// The counts that waits began with.
    var waits: [UInt32] { contents.withLock { $0.waits } }

    var changeCount: UInt32 {
      contents.withLock { contents in
        contents.readCount += 1
        return contents.readCount
      }
    }

    func waitForChange(since count: UInt32, timeout: Duration) {
      let known = store.changeCount
      contents.withLock { $0.waits.append(count) }
      store.waitForChange(since: known, timeout: timeout)
    }
  }

  /// A change between the look and a later reading of the count would not end the wait.
  @Test func theCountOfChangesIsReadOnceAndBeforeTheLook() async throws {
    let store = CountingStore()
    let ledger = try await Ledger.open(
      { () throws(LedgerError) in store }, UnwatchedSessions(), as: .app,
      configuration: CompactionSample.configuration())
    for _ in 0..<1_000 where store.waits.count < 3 {
      _ = try await ledger.createPromise(of: Int.self)
    }
    await ledger.close()
    #expect(store.waits.prefix(3) == [1, 2, 3])
  }
}
