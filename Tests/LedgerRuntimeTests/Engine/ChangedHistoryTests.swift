import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// A log that is replaced by one with another past is found out before anything of it is believed, or
/// written to it.
@Suite(.timeLimit(.minutes(5))) struct ChangedHistoryTests {
  private static let clock = ManualLedgerClock(start: .at(1_000))

  /// A store whose first events are always the same, with a session that wrote and read them.
  private static func beginning() throws -> (store: InMemoryEventStore, session: WatchedSession) {
    let store = InMemoryEventStore()
    let session = try WatchedSession(store, 1, clock: clock)
    try session.commit((1...10).map { CreatePromise(.numbered($0)) })
    return (store, session)
  }

  /// Continues with commits of another session, up to a position.
  private static func go(
    on store: InMemoryEventStore, as number: Int, through end: UInt64
  ) throws {
    let other = try WatchedSession(store, number, clock: clock)
    while try store.head().rawValue < end {
      try other.commit([CreatePromise(.numbered(1_000 * number + Int(try store.head().rawValue)))])
    }
  }

  private static func fold(_ store: InMemoryEventStore, through end: Position? = nil) throws {
    var folder = Folder()
    let end = try end ?? store.head()
    while try folder.step(of: store, through: end, limit: 100) != nil {}
    try folder.markReadBack(of: store)
  }

  private static func deleteEvents(_ store: InMemoryEventStore) throws {
    while try EventDeletion(store).step(through: store.head()) != nil {}
  }

  /// The store of a session, which reads it and writes to it, and the one that replaces it.
  typealias Stores = (InMemoryEventStore, WatchedSession, InMemoryEventStore)

  /// A change to the store under a session.
  struct Row: Sendable, CustomStringConvertible {
    let description: String
    /// The error that reveals it to a session; `nil` if there is none.
    let code: LedgerError.Code?
    let stores: @Sendable () throws -> Stores

    init(
      _ description: String, _ code: LedgerError.Code?,
      _ stores: @escaping @Sendable () throws -> Stores
    ) {
      (self.description, self.code, self.stores) = (description, code, stores)
    }
  }

  static let rows: [Row] = [
    Row("the same log", nil) {
      let (store, session) = try beginning()
      return (store, session, store)
    },
    Row("it grew", nil) {
      let (store, session) = try beginning()
      let (other, _) = try beginning()
      try go(on: other, as: 2, through: 30)
      return (store, session, other)
    },
    Row("other events, and more", .historyChanged) {
      let (store, session) = try beginning()
      let (other, _) = try beginning()
      try session.commit([CreatePromise(.numbered(11))])
      try go(on: other, as: 2, through: 30)
      return (store, session, other)
    },
    Row("other events, as many", .historyChanged) {
      let (store, session) = try beginning()
      let (other, _) = try beginning()
      try session.commit([CreatePromise(.numbered(11)), CreatePromise(.numbered(12))])
      try go(on: other, as: 2, through: store.head().rawValue)
      return (store, session, other)
    },
    Row("an older copy", .corrupt) {
      let (store, session) = try beginning()
      let (other, _) = try beginning()
      try session.commit([CreatePromise(.numbered(11))])
      return (store, session, other)
    },
    Row("it grew and was folded", nil) {
      let (store, session) = try beginning()
      let (other, _) = try beginning()
      try go(on: other, as: 2, through: 30)
      try fold(other)
      return (store, session, other)
    },
    Row("it grew and what was read is deleted", nil) {
      let (store, session) = try beginning()
      let (other, _) = try beginning()
      try go(on: other, as: 2, through: 30)
      try fold(other)
      try deleteEvents(other)
      return (store, session, other)
    },
    Row("other events that are folded and not deleted", .historyChanged) {
      let (store, session) = try beginning()
      let (other, _) = try beginning()
      try session.commit([CreatePromise(.numbered(11))])
      try go(on: other, as: 2, through: 30)
      try fold(other)
      return (store, session, other)
    },
    Row("other events that are deleted, where this session has a snapshot", .historyChanged) {
      let (store, session) = try beginning()
      let (other, _) = try beginning()
      try session.commit([CreatePromise(.numbered(11))])
      let end = try store.head()
      try fold(store)
      _ = try session.replica.catchUp(from: store)
      try go(on: other, as: 2, through: 30)
      try fold(other, through: end)
      try deleteEvents(other)
      #expect(try other.snapshotSummary().deletedThrough == end)
      return (store, session, other)
    },
    Row("other events, after what was read was deleted", .historyChanged) {
      let (store, session) = try beginning()
      let (other, _) = try beginning()
      try go(on: store, as: 2, through: 30)
      try fold(store)
      try deleteEvents(store)
      // The replica has not read the last event, though its position is that of the event.
      _ = try session.replica.catchUp(from: store)
      try go(on: other, as: 3, through: 40)
      return (store, session, other)
    },
  ]

  @Test(arguments: rows)
  func aReadFindsOut(row: Row) throws {
    let (_, session, other) = try row.stores()
    let head = try other.head()
    #expect(try Self.code { _ = try session.replica.catchUp(from: other) } == row.code)
    #expect(try other.head() == head)
  }

  /// A look at the state may find a newer snapshot before the events are read.
  @Test(arguments: rows)
  func aNewerSnapshotHidesNothing(row: Row) throws {
    let (_, session, other) = try row.stores()
    let code = try Self.code {
      try session.replica.rebase(from: other)
      _ = try session.replica.catchUp(from: other)
    }
    #expect(code == row.code)
  }

  @Test(arguments: rows)
  func aCommitFindsOutAndWritesNothing(row: Row) throws {
    let (_, session, other) = try row.stores()
    let head = try other.head()
    let code = try Self.code {
      try session.commitAny([CreatePromise(.numbered(99))], to: other)
    }
    #expect(code == row.code)
    #expect(try other.head() == (row.code == nil ? head.advanced(by: 1) : head))
  }

  /// Two threads catch up, and the slower one brings frames that the faster one applied.
  @Test func framesThatWereAppliedChangeNothing() throws {
    let (store, session) = try Self.beginning()
    try session.commit([CreatePromise(.numbered(11))])
    _ = try store.read(after: .start, limit: 1) { (frame) throws(LedgerError) in
      try session.replica.apply(frame)
    }
    #expect(try !session.replica.catchUp(from: store))
    try session.commit([CreatePromise(.numbered(12))])
  }

  @Test func aGroupWithoutEventsChangesNothing() throws {
    let (store, session) = try Self.beginning()
    try session.commitAny([ResolvePromise(.numbered(999))])
    try session.commit([CreatePromise(.numbered(11))])
    #expect(try !session.replica.catchUp(from: store))
  }

  private static func code(_ body: () throws -> Void) throws -> LedgerError.Code? {
    do {
      try body()
      return nil
    } catch let error as LedgerError {
      return error.code
    }
  }

  // MARK: Sessions

  private static func open(_ store: ReplaceableStore) async throws -> Ledger {
    try await Ledger.open(
      { () throws(LedgerError) in store }, UnwatchedSessions(), as: .app,
      configuration: CompactionSample.configuration())
  }

  @Test func aSessionEndsWithIt() async throws {
    let place = ReplaceableStore(InMemoryEventStore())
    let (first, second) = (try await Self.open(place), try await Self.open(place))
    let promise = try await first.createPromise(of: Int.self)
    _ = try await second.record(of: promise.id)
    let other = InMemoryEventStore()
    let stranger = try await Self.open(ReplaceableStore(other))
    for _ in 0..<10 { _ = try await stranger.createPromise(of: Int.self) }
    await stranger.close()
    let head = try other.head()
    place.store = other
    await expectError(.historyChanged) { try await first.record(of: promise.id) }
    await expectError(.historyChanged) { try await second.createPromise(of: Int.self) }
    // From now on, without access to the store.
    await expectError(.historyChanged) { try await first.createPromise(of: Int.self) }
    await expectError(.historyChanged) { try await second.record(of: promise.id) }
    await first.close()
    await second.close()
    #expect(try other.head() == head)
    let third = try await Self.open(place)
    #expect(try await third.record(of: promise.id) == nil)
    await third.close()
  }

  @Test func aWaitEndsWithIt() async throws {
    let place = ReplaceableStore(InMemoryEventStore())
    let ledger = try await Self.open(place)
    let promise = try await ledger.createPromise(of: Int.self)
    let waiting = Task { try await promise.outcome }
    let other = InMemoryEventStore()
    let stranger = try await Self.open(ReplaceableStore(other))
    for _ in 0..<10 { _ = try await stranger.createPromise(of: Int.self) }
    place.store = other
    await expectError(.historyChanged) { try await ledger.createPromise(of: Int.self) }
    // It ends a wait in any case.
    await ledger.close()
    await expectError(.historyChanged) { try await waiting.value }
    await stranger.close()
  }
}
