import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// The number of the snapshot's deadlines that a commit examines.
@Suite(.timeLimit(.minutes(10))) struct DeadlineReadsTests {
  private let store = WatchedStore()
  private let clock = ManualLedgerClock(start: .at(1_000))
  private let count = 2_000

  /// A session on a snapshot with many promises that have a deadline.
  private func session() throws -> WatchedSession {
    let writer = try WatchedSession(store, 1, clock: clock)
    try writer.commit(
      (1...count).map { CreatePromise(.numbered($0), deadline: .at(2_000 + Int64($0))) })
    try store.fold()
    return try WatchedSession(store, 2, clock: clock)
  }

  @Test func aCommitBeforeAllDeadlinesLooksAtTheFirst() throws {
    let session = try session()
    let reads = try store.counting { try session.commit() }
    #expect(reads.entries < 50)
  }

  @Test func aCommitAfterAMassTimeoutLooksAtNoneAgain() throws {
    let session = try session()
    clock.advance(by: .nanoseconds(8_000))
    let reads = try store.counting {
      for _ in 0...(count / TimeOutDuePromises.limit) { try session.commit() }
    }
    #expect(reads.entries < 3 * count)
    for number in [1, count] {
      let promise = try session.promise(number)
      #expect(promise?.resolution?.outcome == .timedOut, "\(number)")
    }
    try session.commit()
    #expect(try store.counting { try session.commit() }.entries < 50)
    // Nor while the snapshot is folded on.
    try store.fold(through: Position(rawValue: UInt64(count) + 100))
    #expect(try store.counting { try session.commit() }.entries < 50)
  }
}
