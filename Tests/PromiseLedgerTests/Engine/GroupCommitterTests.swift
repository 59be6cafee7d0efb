import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

@Suite(.timeLimit(.minutes(10))) struct GroupCommitterTests {
  private let store = WatchedStore()
  private let clock = ManualLedgerClock(start: .at(1_000))

  @Test func aSnapshotThatMovesBeforeTheGateCostsNoSecondTry() throws {
    try WatchedSession(store, 1, clock: clock).commit([CreatePromise(.numbered(1))])
    try store.fold()
    let session = try WatchedSession(store, 2, clock: clock)
    let base = try store.snapshotSummary().position
    let head = try store.head()
    // An event on what stands in the snapshot only, and a fold.
    store.onCommit = { [store, clock] in
      #expect(throws: Never.self) {
        try WatchedSession(store, 3, clock: clock).commit([ResolvePromise(.numbered(1))])
        try store.fold(through: head)
      }
    }
    let tries = store.commitCount
    try session.commit([CreatePromise(.numbered(2))])
    #expect(try store.snapshotSummary().position > base)
    // Two of the other session, and one of this.
    #expect(store.commitCount == tries + 3)
    let promise = try session.promise(1)
    #expect(promise?.status == .resolved)
  }
}
