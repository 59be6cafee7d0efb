import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// The limits of a compaction: space, and work in one step.
@Suite(.timeLimit(.minutes(10))) struct CompactionBoundsTests {
  @Test func aFullLedgerCanStillConsumeAndIsCompacted() async throws {
    let temporary = try TemporaryLedger()
    var configuration = CompactionSample.configuration()
    configuration.sizeLimitInBytes = 8 << 20
    let ledger = try await temporary.open(configuration: configuration)
    let waiting = try await ledger.createPromise(of: String.self)
    try await waiting.fulfill("kept")
    let value = String(repeating: "v", count: 3_500)
    var isFull = false
    for _ in 0..<10_000 where !isFull {
      do {
        let promise = try await ledger.createPromise(of: String.self)
        try await promise.fulfill(value)
        try await promise.abandon(reason: "")
      } catch let error as LedgerError {
        #expect(error.code == .ledgerFull)
        isFull = true
      }
    }
    #expect(isFull)
    // There is not enough space for all records beside the events.
    let error = await #expect(throws: LedgerError.self) { try await ledger.compact(.foldOnly) }
    #expect(error?.code == .ledgerFull)
    #expect(try await waiting.consume() == "kept")
    try await ledger.freeze()
    try await ledger.unfreeze()

    let report = try await ledger.compact(CompactionSample.everything)
    #expect(report.deletedEvents > 500)
    _ = try await ledger.createPromise(of: String.self)
    _ = try SnapshotAudit(try await ledger.engine.openStore())
    await ledger.close()
  }

  @Test func anIdleLedgerHasNothingToCompact() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    _ = try await CompactionSample.fill(ledger, 8)
    #expect(try await !ledger.plan(.foldOnly).isEmpty)
    try await ledger.compact(.foldOnly)
    try await ledger.compact(.foldOnly)
    let head = try await ledger.engine.openStore().head()
    #expect(try await ledger.plan(.foldOnly).isEmpty)
    try await ledger.compact(.foldOnly)
    #expect(try await ledger.engine.openStore().head() == head)
    await ledger.close()
  }

  @Test func largeValuesAreFoldedAndDeletedInSmallSteps() throws {
    let store = InMemoryEventStore()
    var batch = EventBatch()
    try batch.append(.of(LedgerCreated(formatVersion: 0), on: .numbered(77)))
    for number in 1...20 {
      let id = PromiseID.numbered(number).entityID
      try batch.append(.of(PromiseCreated(typeTag: "text"), on: id))
      var resolved = NewEvent.of(
        PromiseResolved(
          outcome: .fulfilled, resolvedAt: .at(9), idempotencyKey: nil, content: nil), on: id)
      resolved.attachment = [UInt8](repeating: 7, count: 1 << 20)
      try batch.append(resolved)
      try batch.append(.of(PromiseConsumed(delivery: .recordedAfter), on: id))
      let made = batch
      _ = try store.commit(
        CommitID(session: .numbered(1), number: UInt64(number)), after: try store.head(),
        patience: Patience(.seconds(5)), catchUp: { (_) throws(LedgerError) in },
        decide: { (_, _) in made })
      batch = EventBatch()
    }
    var folder = Folder()
    var steps: [Int] = []
    while let step = try folder.step(of: store, through: try store.head(), limit: 1_000) {
      steps.append(step.eventCount)
    }
    #expect(steps.count == 6 && steps.max() == 12, "4 MiB of values a step")
    try folder.markReadBack(of: store)
    var deletions: [Int] = []
    while let step = try EventDeletion(store).step(through: try store.head()) {
      deletions.append(step.eventCount)
    }
    #expect(deletions.count == 5 && deletions.max() == 13)
    let state = LedgerState(snapshot: try SnapshotReader(store))
    let removals = try RetentionPlan(state, endedBy: .everything).events.map(\.removedCount)
    #expect(removals == [4, 4, 4, 4, 4], "4 MiB of values an event")
  }

  @Test func aListThatLacksAnEntryOfAStepIsNoticedLater() throws {
    let made = try StoreMaker.lmdb.make()
    let subject = try CompactedStore(made.store, seed: 3, groupCount: 10)
    var folder = Folder()
    _ = try folder.step(of: made.store, through: try made.store.head(), limit: 100_000)
    let promise = try #require(subject.state.promises.open.first)
    let entry = try #require(LedgerEntity.promise(promise).openEntries.first)
    try made.store.damage([TableChange(.open, entry.key, nil)])
    // Another process continues where the first one died.
    var next = Folder()
    let error = #expect(throws: LedgerError.self) { try next.markReadBack(of: made.store) }
    #expect(error?.message.contains("it is not in its lists") == true)
  }

  @Test func aPlanFromBeforeAnotherFoldRemovesNothing() throws {
    let subject = try CompactedStore(InMemoryEventStore(), seed: 5, groupCount: 25)
    try subject.fold()
    let plan = try RetentionPlan(subject.state, endedBy: .everything)
    let event = try #require(plan.events.first)
    // The changes up to this fold have left the overlay, so they cannot be inspected.
    for _ in 0..<3 { try subject.commit(CreatePromise.sample()) }
    try subject.fold()
    subject.dropFolded()
    #expect(try subject.commit(ApplyRetention(event, plannedAt: plan.position)) == nil)
    let anew = try RetentionPlan(subject.state, endedBy: .everything)
    let first = try #require(anew.events.first)
    #expect(
      try subject.commit(ApplyRetention(first, plannedAt: anew.position))
        == Int(first.removedCount))
  }
}

extension CreatePromise {
  fileprivate static func sample() -> CreatePromise {
    CreatePromise(
      id: PromiseID(entityID: .random()), creation: PromiseCreated(typeTag: "text"), isStrict: true)
  }
}
