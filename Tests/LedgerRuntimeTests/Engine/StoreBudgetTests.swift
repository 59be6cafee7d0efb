import LedgerModelTestSupport
import LedgerSystem
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// How often a store is asked: a group of commands, or a slice of the log, costs at most two views, and
/// no lock is held meanwhile.
@Suite(.timeLimit(.minutes(5))) struct StoreBudgetTests {
  private static let budget = 2

  private let store = WatchedStore()
  private let clock = ManualLedgerClock(start: .at(1_000))

  /// A command on a ledger whose entities are in the snapshot only.
  struct Row: Sendable, CustomStringConvertible {
    let name: String
    let commands: @Sendable () -> [any Command]

    init(_ name: String, _ commands: @escaping @Sendable @autoclosure () -> [any Command]) {
      (self.name, self.commands) = (name, commands)
    }

    var description: String { name }
  }

  private static let keyed = PromiseID(entityID: EntityID(high: 0x8000, low: 1 << 63))

  static let rows: [Row] = [
    Row("create, random id", [CreatePromise(.numbered(9_000))]),
    Row("create, new key", [CreatePromise(keyed)]),
    Row("create again", [CreatePromise(.numbered(1), idempotencyKey: "a")]),
    Row("resolve", [ResolvePromise(.numbered(1))]),
    Row("resolve 200", (1...200).map { ResolvePromise(.numbered($0)) }),
    Row("consume", [ConsumePromise(id: .numbered(300), delivery: .recordedBefore)]),
    Row("abandon", [AbandonPromise(id: .numbered(1), reason: "test")]),
    Row("time out 100 that are due", [TimeOutDuePromises()]),
    Row("create a handler", [CreateHandler(.numbered(9_001))]),
    Row(
      "create together",
      [
        CreateTogether([
          .promise(CreatePromise(keyed)),
          .promise(CreatePromise(.numbered(1), idempotencyKey: "a")),
          .handler(CreateHandler(.numbered(9_001))), .handler(CreateHandler(.numbered(500))),
        ])
      ]),
    Row(
      "bind",
      [
        RebindHandler(
          id: .numbered(500), mode: .replaced, arguments: .none, expectedBinding: nil)
      ]),
    Row("start a call", [StartCall(.numbered(500), .numbered(2))]),
    Row("run it again", [RetryCall(id: .numbered(502), call: .numbered(3), expectedAttempt: 1)]),
    Row(
      "give it back",
      [ReleaseCall(id: .numbered(501), call: .numbered(1), attempt: 1, reason: .cancelled)]),
    Row(
      "finish with effects",
      [
        FinishCall(
          .numbered(501), .numbered(1),
          effects: [
            HandlerEffect(.resolvePromise(ResolvePromise(.numbered(1)))),
            HandlerEffect(.createPromise(CreatePromise(keyed))),
            HandlerEffect(.callHandler(.numbered(500), .numbered(4), .none)),
          ])
      ]),
    Row("invalidate", [InvalidateHandler(.numbered(500), .numbered(5))]),
    Row("freeze", [FreezeSession()]),
    Row("come back", [UnfreezeSession(processID: 1)]),
    Row("end a session", [CloseSession(id: .numbered(1), reason: .died)]),
    Row(
      "what is not there", [ResolvePromise(keyed), InvalidateHandler(.numbered(1), .numbered(5))]),
    Row("record a compaction", [RecordCompaction(snapshot: nil, deletion: nil)]),
  ]

  /// Folds a ledger with promises, handlers and a session that runs a call.
  private func fill() throws {
    let writer = try WatchedSession(store, 1, clock: clock)
    try writer.commit((1...400).map { CreatePromise(.numbered($0), idempotencyKey: "a") })
    try writer.commit((401...499).map { CreatePromise(.numbered($0), deadline: .at(2_000)) })
    try writer.commit([ResolvePromise(.numbered(300))])
    try writer.commit((500...502).map { CreateHandler(.numbered($0), .repeating) })
    try writer.commit([
      StartCall(.numbered(501), .numbered(1)), StartCall(.numbered(502), .numbered(3)),
    ])
    try writer.commit([
      ReleaseCall(id: .numbered(502), call: .numbered(3), attempt: 1, reason: .cancelled)
    ])
  }

  @Test(arguments: rows)
  func aGroupTakesAtMostTwoViews(row: Row) throws {
    try fill()
    let session = try WatchedSession(store, 2, clock: clock)
    try store.fold()
    // Drops the entities in the snapshot from memory.
    _ = try session.replica.catchUp(from: store)
    session.replica.dropFolded(begins: true)
    if row.name.hasPrefix("time out") { clock.advance(by: .seconds(10_000)) }
    watchLocks(of: session.replica)
    let commits = store.commitCount
    let reads = try store.counting { try session.commitAny(row.commands()) }
    #expect(store.commitCount == commits + 1)
    #expect(reads.views <= Self.budget)
    #expect(reads.transactions == 0)
    #expect(reads.frameReads == 0)
  }

  /// An entity that changed since the snapshot is not looked up below under other kinds.
  @Test func anIDOfAnotherKindTakesNoViews() throws {
    try fill()
    let session = try WatchedSession(store, 2, clock: clock)
    try store.fold()
    _ = try session.replica.catchUp(from: store)
    session.replica.dropFolded(begins: true)
    try session.commit([StartCall(.numbered(500), .numbered(2))])
    let handler = HandlerID.numbered(500).entityID
    let reads = try store.counting {
      try session.commitAny([
        ResolvePromise(PromiseID(entityID: handler)),
        InvalidateHandler(HandlerID(entityID: handler), .numbered(5)),
      ])
    }
    #expect(reads.views <= 1)
  }

  /// A handler that changed since the snapshot refers to a record that retention would otherwise
  /// remove.
  @Test func removingRecordsTakesAtMostTwoViews() throws {
    try fill()
    let session = try WatchedSession(store, 2, clock: clock)
    try session.commit([
      AbandonPromise(id: .numbered(2), reason: "test"),
      AbandonPromise(id: .numbered(3), reason: "test"),
    ])
    try store.fold()
    _ = try session.replica.catchUp(from: store)
    session.replica.dropFolded(begins: true)
    let plan = try RetentionPlan(
      LedgerState(snapshot: SnapshotReader(store)),
      endedBy: AgeLimit(cutoff: .at(.max), now: .at(.max)))
    let event = try #require(plan.events.first)
    let references = HandlerReferences(
      promises: [.numbered(1), .numbered(2), .numbered(3)], handlers: [.numbered(500)])
    try session.commit([
      CreateHandler(.numbered(600), arguments: .of(.none, references))
    ])
    try session.commit([StartCall(.numbered(500), .numbered(2))])
    let reads = try store.counting {
      try session.commitAny([ApplyRetention(event, plannedAt: plan.position)])
    }
    #expect(reads.views <= Self.budget)
    #expect(try session.promise(2)?.status == .abandoned)
  }

  @Test func aSliceTakesAtMostTwoViews() throws {
    try fill()
    try store.fold()
    let session = try WatchedSession(store, 2, clock: clock)
    let other = try WatchedSession(store, 3, clock: clock)
    _ = try session.replica.catchUp(from: store)
    try other.commit((1...200).map { ResolvePromise(.numbered($0)) })
    watchLocks(of: session.replica)
    let reads = try store.counting { _ = try session.replica.catchUp(from: store) }
    #expect(reads == WatchedStore.Reads(views: Self.budget))
    #expect(try session.promise(200)?.status == .resolved)
  }

  @Test func aFoldedSliceTakesAtMostTwoViews() throws {
    try fill()
    var folder = Folder()
    let head = try store.head()
    let snapshot = try SnapshotReader(store)
    let reads = try store.counting {
      _ = try FoldSlice.next(of: store, from: snapshot, through: head, limit: 10_000)
    }
    #expect(reads.views == Self.budget)
    #expect(reads.transactions == 0)
    _ = try folder.step(of: store, through: head, limit: 10_000)
  }

  // MARK: Sessions

  /// A read of a session.
  struct SessionRead: Sendable, CustomStringConvertible {
    let description: String
    /// The maximum number of views and transactions, however long the lists are.
    let budget: Int
    let run: @Sendable (Ledger) async throws -> Int

    init(
      _ description: String, _ budget: Int, _ run: @escaping @Sendable (Ledger) async throws -> Int
    ) {
      (self.description, self.budget, self.run) = (description, budget, run)
    }
  }

  static let sessionReads = [
    SessionRead("stale promises", 8) { try await $0.stalePromises().count },
    SessionRead("orphaned promises", 12) { try await $0.orphanedPromises().count },
    SessionRead("unfinished calls", 8) { try await $0.unfinishedCalls().count },
    SessionRead("open promises", 8) { try await $0.unconsumedPromises().count },
    SessionRead("plan", 20) { try await $0.plan().recordsToRemove },
  ]

  /// Each of many sessions resolves a promise, begins a call, and ends.
  private func fillBySessions(_ count: Int) throws {
    for number in 1...count {
      let session = try WatchedSession(store, number, clock: clock)
      try session.commit([CreatePromise(.numbered(number))])
      try session.commit([ResolvePromise(.numbered(number))])
      try session.commit([CreateHandler(.numbered(1_000 + number), .repeating)])
      try session.commit([StartCall(.numbered(1_000 + number), .numbered(number))])
      try session.commitAny([CloseSession(id: .numbered(number), reason: .closed)])
    }
    try store.fold()
  }

  private func open() async throws -> Ledger {
    try await Ledger.open(
      { [store] () throws(LedgerError) in store }, UnwatchedSessions(), as: .app,
      configuration: CompactionSample.configuration())
  }

  @Test(arguments: sessionReads)
  func aReadOfAListTakesNoMoreForMany(read: SessionRead) async throws {
    try fillBySessions(50)
    let ledger = try await open()
    let before = store.reads
    _ = try await read.run(ledger)
    let after = store.reads
    #expect(after.views + after.transactions - before.views - before.transactions <= read.budget)
    await ledger.close()
  }

  @Test func openingTakesNoMoreBesideManySessions() async throws {
    try fillBySessions(50)
    for number in 101...150 { _ = try WatchedSession(store, number, clock: clock) }
    try store.fold()
    let before = store.reads
    let ledger = try await open()
    let after = store.reads
    #expect(after.views + after.transactions - before.views - before.transactions <= 20)
    await ledger.close()
  }

  @Test func largeValuesOfAListAreReadTogether() async throws {
    let ledger = try await open()
    for _ in 0..<20 {
      let promise = try await ledger.createPromise(of: [UInt8].self)
      try await promise.fulfill([UInt8](repeating: 7, count: 9_000))
    }
    let before = store.reads.attachmentReads
    #expect(try await ledger.unconsumedPromises().allSatisfy { $0.outcomeKind == .fulfilled })
    #expect(store.reads.attachmentReads == before + 1)
    await ledger.close()
  }

  // MARK: Locks

  /// Lets each read of the store find out whether it blocks access to the replica.
  private func watchLocks(of replica: Replica) {
    store.onRead = {
      let isFree = WakeSemaphore()
      let thread = try? SystemThread.start(name: "looker") {
        _ = replica.position
        isFree.signal()
      }
      #expect(thread != nil)
      #expect(isFree.wait(timeout: .seconds(5)), "the store was asked under the replica's lock")
    }
  }
}
