import LedgerModelTestSupport
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// The number of requests to a store does not depend on the amount requested, and no request is
/// made while an answer is being delivered: a store that is far away has one answer on the wire at
/// a time.
@Suite(.timeLimit(.minutes(5))) struct PluralReadsTests {
  private let store = WatchedStore()

  /// Counts the calls of tables that `body` makes.
  private func tableCalls(_ body: () throws -> Void) rethrows -> Int {
    let before = store.tableCallCount
    try body()
    return store.tableCallCount - before
  }

  /// Folds promises, of which every second one is closed.
  private func fill(_ count: Int) throws {
    let writer = try WatchedSession(store, 1, clock: ManualLedgerClock(start: .at(1_000)))
    try writer.commit((1...count).map { CreatePromise(.numbered($0), idempotencyKey: "a") })
    try writer.commit((1...count / 2).map { AbandonPromise(id: .numbered(2 * $0), reason: "test") })
  }

  @Test(arguments: [true, false])
  func aViewOfManyIDsTakesAsManyCallsAsOne(checksLists: Bool) throws {
    try fill(400)
    try store.fold()
    let counts = try [1, 400].map { count in
      var request = ViewRequest()
      request.needs.ids = Set((1...count).map { PromiseID.numbered($0).entityID })
      request.needs.ids.insert(EntityID(high: 0x8000, low: 1 << 63))
      request.needs.checksLists = checksLists
      return try tableCalls { _ = try store.view(request) }
    }
    #expect(counts[0] == counts[1])
    #expect(counts[0] <= (checksLists ? 5 : 4))
  }

  @Test func readingAStepBackTakesAsManyCallsForAllRecordsAsForOne() throws {
    try fill(300)
    var folder = Folder()
    let head = try store.head()
    let calls = try [10, 1_000].map { limit in
      _ = try folder.step(of: store, through: head, limit: limit)
      return try tableCalls { try folder.readBack(in: store) }
    }
    #expect(calls[0] == calls[1])
  }

  /// As by a process that died before it read back its writes.
  @Test func readingBackTheWritesOfADeadProcessTakesFewCalls() throws {
    try fill(300)
    try store.fold()
    var next = Folder()
    let calls = try tableCalls { try next.markReadBack(of: store) }
    #expect(calls <= 8)
  }

  @Test func replayOverASnapshotTakesFewCalls() throws {
    try fill(300)
    try store.fold(through: Position(rawValue: 310))
    let calls = try tableCalls { _ = try LedgerState.replayed(from: store) }
    #expect(calls <= 8)
  }

  @Test func aReadOfAListCountsNoTable() throws {
    try fill(10)
    try store.fold()
    let reader = try SnapshotReader(store)
    #expect(try reader.entries(of: .promises).count == 5)
    var request = ViewRequest()
    request.needs.lists = [.promises]
    _ = try store.view(request)
    #expect(store.entryCountCount == 0)
    try reader.checkCounts {}
    #expect(store.entryCountCount == 3)
  }

  // MARK: Nested reads

  @Test func aNestedReadIsNoticed() throws {
    try fill(10)
    try store.fold()
    var isRead = false
    _ = try store.read(after: .start, limit: 1) { (_) throws(LedgerError) in
      if !isRead { _ = try store.head() }
      isRead = true
    }
    #expect(store.nestedCount == 1)
    try store.readSnapshot { (tables) throws(LedgerError) in
      try tables.scan(.entities, from: [0]) { (key, _) throws(LedgerError) in
        _ = try tables.value(forKey: key, in: .tombstones)
        return false
      }
    }
    #expect(store.nestedCount == 2)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func nothingIsReadWhileAnAnswerIsHandedOver(seed: UInt64) throws {
    let subject = try CompactedStore(store, seed: seed, groupCount: 30)
    let middle = Position(rawValue: try store.head().rawValue / 2)
    try subject.fold(through: middle)
    var heir = Folder()
    try heir.markReadBack(of: store)
    _ = try LedgerState.replayed(from: store)
    _ = try EventDeletion.count(in: store, through: try store.head())
    #expect(try subject.deleteEvents() > 0)
    try subject.removeRecords(endedBy: .at(.max))
    try subject.fold()
    let summary = try store.snapshotSummary()
    _ = try summary.deletedLog.continued(over: store, through: try store.head())
    try export(summary)
    #expect(store.nestedCount == 0, "seed \(seed)")
  }

  private func export(_ summary: SnapshotSummary) throws {
    var writer = ArchiveWriter(
      of: store.ledgerID, createdAt: store.createdAt, summary, through: try store.head())
    while try writer.next(from: store) != nil {}
    #expect(try writer.finished.recordCount > 0)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func verifyingASnapshotReadsNothingWhileAnAnswerIsHandedOver(seed: UInt64) throws {
    let subject = try CompactedStore(store, seed: seed, groupCount: 30)
    try subject.fold()
    try subject.removeRecords(endedBy: .at(.max))
    try subject.fold()
    let findings = Findings()
    try store.readSnapshot { (tables) throws(LedgerError) in
      var checks = SnapshotChecks(tables, findings)
      try checks.run {}
      #expect(checks.recordCount > 0)
    }
    #expect(findings.corruptCount == 0, "seed \(seed)")
    #expect(store.nestedCount == 0, "seed \(seed)")
  }
}
