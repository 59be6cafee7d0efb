import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
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
    // An event about an entity that is only in the snapshot, and a fold.
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

  @Test func aGroupIsDecidedAtTheTimeAtWhichItHoldsTheGate() throws {
    let session = try WatchedSession(store, 1, clock: clock)
    store.onCommit = { [clock] in clock.advance(by: .seconds(5)) }
    try session.commit([CreatePromise(.numbered(1))])
    #expect(try session.promise(1)?.created.time == .at(1_000) + .seconds(5))
  }

  /// The listener applies newer events than those that the head was read of.
  @Test func aStateThatIsAheadOfTheHeadIsDecidedOn() throws {
    let session = try WatchedSession(store, 1, clock: clock)
    let other = try WatchedSession(store, 2, clock: clock)
    let replica = session.replica
    store.onDecide = { [store, clock] in
      #expect(throws: Never.self) {
        try WatchedSession(store, 3, clock: clock).commit([CreatePromise(.numbered(7))])
        _ = try replica.catchUp(from: store)
      }
    }
    try session.commit([CreatePromise(.numbered(7)), CreatePromise(.numbered(8))])
    #expect(try session.promise(7)?.created.session == .numbered(3))
    #expect(try session.promise(8)?.created.session == .numbered(1))
    _ = try other.replica.catchUp(from: store)
    #expect(try other.promise(7) == session.promise(7))
    #expect(try other.promise(8) == session.promise(8))
  }

  @Test func eventsOfAnotherWriterBeforeTheAppendAreDecidedOn() throws {
    let session = try WatchedSession(store, 1, clock: clock)
    store.onAppend = { [store, clock] in
      #expect(throws: Never.self) {
        try WatchedSession(store, 3, clock: clock).commit([CreatePromise(.numbered(7))])
      }
    }
    try session.commit([CreatePromise(.numbered(7)), CreatePromise(.numbered(8))])
    #expect(try session.promise(7)?.created.session == .numbered(3))
    #expect(try session.promise(8)?.created.session == .numbered(1))
  }

  /// The command is answered without an event, so only the confirmation shows that another writer was faster.
  @Test func eventsOfAnotherWriterBeforeAnAnswerAreAnswered() throws {
    let session = try WatchedSession(store, 1, clock: clock)
    try session.commit([CreatePromise(.numbered(7))])
    let head = try store.head()
    store.onAppend = { [store, clock] in
      #expect(throws: Never.self) {
        try WatchedSession(store, 3, clock: clock).commit([ResolvePromise(.numbered(7))])
      }
    }
    try session.commitAny([CreatePromise(.numbered(7))])
    #expect(try store.head() == head.advanced(by: 2))
    #expect(try session.promise(7)?.status == .resolved)
  }

  @Test func aLogThatEndsBeforeAReadPositionIsCorrupt() throws {
    let session = try WatchedSession(store, 1, clock: clock)
    try session.commit([CreatePromise(.numbered(1))])
    let older = InMemoryEventStore(ledgerID: store.ledgerID)
    let error = #expect(throws: LedgerError.self) { try session.commitAny([], to: older) }
    #expect(error?.code == .corrupt)
  }
}
