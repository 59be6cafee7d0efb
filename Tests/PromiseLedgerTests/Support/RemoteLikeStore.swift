import LedgerModelTestSupport

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting

/// A store in memory that behaves like one over a network, where other hosts write all the time: every
/// commit first loses a race.
final class RemoteLikeStore: ForwardingStore {
  let store = InMemoryEventStore()
  let isRemote = true

  func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn {
    store.simulateConflicts(1)
    return try store.beginCommit(patience)
  }
}
