import LedgerModelTestSupport
import Synchronization

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// A store in memory that another one can take the place of, under living sessions.
final class ReplaceableStore: ForwardingStore {
  private let current: Mutex<InMemoryEventStore>

  init(_ store: InMemoryEventStore) {
    current = Mutex(store)
  }

  var store: InMemoryEventStore {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }
}
