import LedgerModelTestSupport
import LedgerPromises
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// How often the snapshot is read for promises that are awaited.
@Suite(.timeLimit(.minutes(10))) struct WaiterReadsTests {
  private let store = WatchedStore()
  private let clock = ManualLedgerClock(start: .at(1_000))

  @Test func awaitedPromisesAreReadTogetherAndOnlyAfterAChange() throws {
    let writer = try WatchedSession(store, 1, clock: clock)
    try writer.commit((1...2_500).map { CreatePromise(.numbered($0)) })
    try store.fold()
    let session = try WatchedSession(store, 2, clock: clock)
    let replica = session.replica
    let promises = try (1...2_500).map { (number) throws -> Promise<PromiseEntity> in
      let id = PromiseID.numbered(number)
      replica.beginUse(of: id)
      return try replica.settlement(of: id, with: store)
    }
    #expect(store.counting { replica.deliver(from: store, looksAtAll: true) }.views == 3)
    #expect(store.counting { replica.deliver(from: store, looksAtAll: true) }.views == 0)
    try session.commit([ResolvePromise(.numbered(7))])
    #expect(!promises[6].isPending)
    #expect(store.counting { replica.deliver(from: store, looksAtAll: true) }.views == 3)
    #expect(promises.filter(\.isPending).count == 2_499)
    for number in 1...2_500 { replica.endUse(of: .numbered(number)) }
  }
}
