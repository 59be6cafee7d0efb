import LedgerModelTestSupport
import LedgerSystem
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// A session looks into the store only if something was committed since it last did, and misses nothing.
@Suite(.timeLimit(.minutes(5))) struct RevisionTests {
  private static let clock = ManualLedgerClock(start: .at(1_000))

  /// A store that counts the views of it.
  private final class ViewedStore: ForwardingEventStore {
    let base: any EventStore
    private let count = Atomic<Int>(0)

    init(_ base: any EventStore) { self.base = base }

    var viewCount: Int { count.load(ordering: .relaxed) }
    var revision: StoreRevision? { base.revision }

    func view(_ request: ViewRequest) throws(LedgerError) -> StoreView {
      count.add(1, ordering: .relaxed)
      return try base.view(request)
    }
  }

  private let subject: StoreSubject
  private let store: ViewedStore
  private let session: WatchedSession

  init() throws {
    subject = try StoreMaker.lmdb.make()
    store = ViewedStore(subject.store)
    session = try WatchedSession(store, 1, clock: Self.clock)
  }

  private func other(_ number: Int = 2) throws -> WatchedSession {
    try WatchedSession(subject.reopened(), number, clock: Self.clock)
  }

  /// Brings the session up to the head.
  ///
  /// - Returns: The number of views that it took.
  private func look() throws -> Int {
    let before = store.viewCount
    _ = try session.replica.catchUp(from: store)
    return store.viewCount - before
  }

  @Test func withoutACommitNothingIsRead() throws {
    #expect(try look() == 0)
    for number in 1...10 {
      try session.commit([CreatePromise(.numbered(number))])
      #expect(try look() == 0)
    }
    let other = try other()
    #expect(try look() == 1)
    #expect(try look() == 0)
    try other.commit([CreatePromise(.numbered(11))])
    #expect(try look() == 1)
    #expect(try look() == 0)
    #expect(try session.promise(11) != nil)
  }

  @Test func aSnapshotOfAnotherSessionIsSeen() throws {
    try session.commit((1...10).map { CreatePromise(.numbered($0)) })
    var folder = Folder()
    let (foreign, head) = (try subject.reopened(), try store.head())
    while try folder.step(of: foreign, through: head, limit: 100) != nil {}
    #expect(try look() == 1)
    #expect(session.replica.withState { $0.base } == head)
  }

  @Test func aStoreThatWasOpenedAgainIsRead() throws {
    #expect(try look() == 0)
    let again = ViewedStore(try subject.reopened())
    _ = try session.replica.catchUp(from: again)
    #expect(again.viewCount == 1)
    _ = try session.replica.catchUp(from: again)
    #expect(again.viewCount == 1)
  }

  /// LMDB shows the number of a transaction before its data can be read.
  @Test func noCommitIsMissedByReadsBesideIt() async throws {
    let writer = try other()
    let isOver = Flag()
    let count = 1_000
    try await withThrowingTaskGroup { group in
      group.addTask { [replica = session.replica, store] in
        while !isOver.isSet { _ = try replica.catchUp(from: store) }
      }
      defer { isOver.set() }
      for number in 1...count {
        try writer.commit([CreatePromise(.numbered(number))])
        _ = try session.replica.catchUp(from: store)
        try #require(try session.promise(number) != nil, "promise \(number) is missing")
        if number.isMultiple(of: 100) { await Task.yield() }
      }
      isOver.set()
      try await group.waitForAll()
    }
  }
}
