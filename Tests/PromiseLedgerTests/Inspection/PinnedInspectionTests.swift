import LedgerLMDB
import LedgerModelTestSupport
import LedgerSystem
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Functions that count or digest a whole ledger see it as it was at the beginning, whatever is
/// folded and deleted meanwhile.
@Suite(.timeLimit(.minutes(10))) struct PinnedInspectionTests {
  private static let promiseCount = 1_300

  private let temporary: TemporaryLedger
  private let ledger: Ledger

  /// A ledger of which a part is folded.
  init() async throws {
    temporary = try TemporaryLedger()
    ledger = try await temporary.open(configuration: CompactionSample.configuration())
    try await fill()
    try await ledger.compact(.foldOnly)
    try await fill()
  }

  private func fill() async throws {
    try await withThrowingTaskGroup { group in
      // Many at once, so that few commits hold them.
      for _ in 0..<Self.promiseCount {
        group.addTask { [ledger] in
          let promise = try await ledger.createPromise(of: String.self)
          try await promise.fulfill("x")
          _ = try await promise.consume()
        }
      }
      try await group.waitForAll()
    }
  }

  /// Inspects without concurrent changes. Then it inspects again, and at the first sign of life
  /// after some events another event is added and all are folded and deleted.
  private func expectTheSame<Answer: Equatable>(
    _ inspect: (BlockingInspector, (Position) -> Void) throws -> Answer
  ) async throws {
    let inspector = try BlockingInspector(at: temporary.path)
    let quiet = try inspect(inspector) { _ in }
    let store = try await ledger.engine.openStore()
    var compacting: Result<Void, any Error>?
    let disturbed = try inspect(inspector) { position in
      // Before the first event comes a check of pages, which needs no view.
      guard compacting == nil, position > .start else { return }
      compacting = .init { try Self.compact(store) }
    }
    #expect(disturbed == quiet)
    try #require(compacting).get()
    #expect(
      try store.snapshotSummary().deletedThrough.rawValue > 6 * UInt64(Self.promiseCount) - 100)
    await ledger.close()
  }

  /// Adds an event, and folds and deletes all that there are.
  private static func compact(_ store: any EventStore) throws {
    var batch = EventBatch()
    try batch.append(.of(SessionOpened.sample(), on: SessionID.numbered(9).entityID))
    let head = try store.commit(
      CommitID(session: .numbered(9), number: 1), after: store.head(),
      patience: Patience(.seconds(5)), catchUp: { _ in }, decide: { [batch] _, _ in batch })
    var folder = Folder()
    while try folder.step(of: store, through: head, limit: 1_000) != nil {}
    try folder.markReadBack(of: store)
    let deletion = EventDeletion(store)
    while try deletion.step(through: head) != nil {}
  }

  @Test func statistics() async throws {
    try await expectTheSame { inspector, progress in
      try inspector.statistics(progress: progress)
    }
  }

  @Test func digests() async throws {
    try await expectTheSame { inspector, progress in
      try inspector.digests(progress: progress)
    }
  }

  @Test func plans() async throws {
    let now = SystemLedgerClock().now()
    try await expectTheSame { inspector, progress in
      try inspector.plan(CompactionSample.everything, now: now, progress: progress)
    }
  }

  @Test func listsOfPromisesAndHandlers() async throws {
    try await expectTheSame { inspector, progress in
      try inspector.withReplay { replayed in
        var found: [String] = []
        let sign = { progress(replayed.position) }
        try replayed.forEachPromise([.pending, .consumed], progress: sign) { record in
          found.append("\(record.id) \(record.status)")
          return true
        }
        try replayed.forEachHandler(includesClosed: true, progress: sign) { record in
          found.append("\(record.id)")
          return true
        }
        #expect(found.count >= 2 * Self.promiseCount)
        return found
      }
    }
  }

  /// Does something at the first sign of life that has to wait for a view, and counts on once it waits.
  private func count(
    _ inspector: BlockingInspector, beside body: @escaping @Sendable () -> Void
  ) throws -> LedgerStatistics {
    let store = try #require(inspector.store as? LMDBInspection)
    let environment = try store.readingEnvironment { $0 }
    var other: SystemThread?
    defer { other?.join() }
    return try inspector.statistics { _ in
      guard other == nil else { return }
      other = try? SystemThread.start(name: "other", body)
      while other != nil, !environment.isAwaited {
        _ = WakeSemaphore().wait(timeout: .milliseconds(1))
      }
    }
  }

  @Test func closingAnInspectionEndsItsCount() async throws {
    await ledger.close()
    let inspector = try BlockingInspector(at: temporary.path)
    let error = #expect(throws: LedgerError.self) {
      try count(inspector) { inspector.close() }
    }
    #expect(error?.code == .closed)
  }

  @Test func openingTheLedgerDoesNotWaitForACount() async throws {
    await ledger.close()
    let inspector = try BlockingInspector(at: temporary.path)
    let expected = try inspector.statistics()
    let store = Mutex<LMDBEventStore?>(nil)
    let counted = try count(inspector) { [path = temporary.path] in
      let options = StoreOptions(sizeLimit: 1 << 30)
      store.withLock {
        $0 = try? LMDBEventStore(opening: LedgerDirectory(path), options: options)
      }
    }
    #expect(counted == expected)
    try #require(store.withLock { $0 }).close()
  }

  /// A session of the process needs the file for itself and waits for a view, and another read waits for the
  /// session: reads inside the view must not wait for that read.
  @Test func aReadInAViewDoesNotWaitForReadsThatWaitForTheView() async throws {
    await ledger.close()
    let inspection = try LMDBInspection(of: LedgerDirectory(temporary.path), locking: true)
    try read(inspection, besideSessionAt: temporary.path).close()
    inspection.close()
  }

  /// Reads inside a view for which a session waits, while another read waits for that session.
  private func read(
    _ inspection: LMDBInspection, besideSessionAt path: String
  ) throws -> LMDBEventStore {
    let store = Mutex<LMDBEventStore?>(nil)
    var others: [SystemThread] = []
    try inspection.readingInOneTransaction { _, _, environment in
      others.append(
        try SystemThread.start(name: "session") {
          let options = StoreOptions(sizeLimit: 1 << 30)
          store.withLock {
            $0 = try? LMDBEventStore(opening: LedgerDirectory(path), options: options)
          }
        })
      while !environment.isAwaited { _ = WakeSemaphore().wait(timeout: .milliseconds(1)) }
      others.append(try SystemThread.start(name: "reader") { _ = try? inspection.head() })
      // Nothing tells that the reader waits by now. If it does not, this test sees less.
      _ = WakeSemaphore().wait(timeout: .milliseconds(200))
      _ = try? inspection.head()
    }
    for other in others { other.join() }
    return try #require(store.withLock { $0 })
  }

  @Test func aViewEndsWithItsTransactionAndStaysOnItsThread() async throws {
    let store = try #require(BlockingInspector(at: temporary.path).store as? LMDBInspection)
    let late = try store.readingView { (log) throws(LedgerError) in
      let other = try? SystemThread.start(name: "other") { Self.expectUnreadable(log) }
      other?.join()
      return log
    }
    Self.expectUnreadable(late)
    await ledger.close()
  }

  private static func expectUnreadable(_ log: PinnedLog) {
    let head = #expect(throws: LedgerError.self) { try log.head() }
    #expect(head?.code == .internalInconsistency)
    let summary = #expect(throws: LedgerError.self) { try log.snapshotSummary() }
    #expect(summary?.code == .internalInconsistency)
  }
}
