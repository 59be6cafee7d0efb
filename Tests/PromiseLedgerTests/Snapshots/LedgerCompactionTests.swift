import LedgerLMDB
import LedgerModelTestSupport
import LedgerSystem
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Compaction of a ledger in use.
@Suite(.timeLimit(.minutes(10))) struct LedgerCompactionTests {
  @Test func everyAnswerStaysWhileRecordsAreKept() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    let ids = try await CompactionSample.fill(ledger, 60)
    let before = try await CompactionSample.records(ledger, ids)
    let unconsumed = try await ledger.unconsumedPromises()
    let plan = try await ledger.plan(CompactionSample.events)
    let report = try await ledger.compact(plan)
    #expect(report.problem == nil)
    #expect(report.foldedEvents == plan.eventsToFold)
    #expect(report.deletedThrough == plan.deletedThrough)
    #expect(report.deletedEvents == plan.eventsToDelete)
    #expect(report.deletedEvents > 0)
    #expect(try await CompactionSample.records(ledger, ids) == before)
    #expect(try await ledger.unconsumedPromises() == unconsumed)
    _ = try SnapshotAudit(try await ledger.engine.openStore())
    await ledger.close()

    let again = try await temporary.open(configuration: CompactionSample.configuration())
    #expect(try await CompactionSample.records(again, ids) == before)
    #expect(try await again.unconsumedPromises() == unconsumed)
    let overlaid = again.engine.replica.withState { $0.overlaid.count }
    #expect(overlaid < 5)
    let late = try await again.resolve(ids[3], with: .cancelled(reason: "late"))
    guard case .alreadyResolved = late else {
      Issue.record("a late resolve was answered \(late)")
      return
    }
    await again.close()
  }

  @Test func removedRecordsStayGone() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    let ids = try await CompactionSample.fill(ledger, 40)
    let before = try await CompactionSample.records(ledger, ids)
    let report = try await ledger.compact(CompactionSample.everything)
    #expect(report.removedRecords == before.count(where: { $0?.status == .consumed }))
    for (number, record) in before.enumerated() {
      let after = try await ledger.record(of: ids[number])
      guard record?.status == .consumed else {
        #expect(after == record, "\(number)")
        continue
      }
      #expect(after == nil, "\(number)")
      if number % 2 == 0 {
        let error = await #expect(throws: LedgerError.self, "\(number)") {
          try await ledger.resolve(ids[number], with: .cancelled(reason: "late"))
        }
        #expect(error?.code == .recordRemoved, "\(number)")
        let repeated = await #expect(throws: LedgerError.self, "\(number)") {
          let _: DurablePromise<String> = try await ledger.findOrCreatePromise(
            key: try PromiseKey("key \(number)"))
        }
        #expect(repeated?.code == .recordRemoved, "\(number)")
      } else {
        guard case .notFound = try await ledger.resolve(ids[number], with: .cancelled(reason: ""))
        else {
          Issue.record("a removed promise was found")
          continue
        }
        let error = await #expect(throws: LedgerError.self, "\(number)") {
          try await ledger.engine.settled(ids[number])
        }
        #expect(error?.code == .notFound, "\(number)")
        #expect(error?.message.contains("were removed") == true, "\(number)")
      }
    }
    _ = try SnapshotAudit(try await ledger.engine.openStore())
    await ledger.close()
  }

  @Test func aSessionThatWasFrozenAcrossThreeCompactionsComesBack() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    let frozen = try await temporary.open(configuration: CompactionSample.configuration("other"))
    let ids = try await CompactionSample.fill(ledger, 24)
    let promise: DurablePromise<String> = try await ledger.createPromise()
    let gone: DurablePromise<String> = try await ledger.createPromise()
    let waiter = Task { try await frozen.engine.settled(promise.id).status }
    let lost = Task { try await frozen.engine.settled(gone.id).status }
    while !frozen.engine.replica.isAwaited(promise.id) || !frozen.engine.replica.isAwaited(gone.id)
    {
      await Task.yield()
    }
    _ = try await frozen.catchUp()
    try await frozen.freeze()
    try await promise.fulfill("done")
    for round in 0..<3 {
      if round == 1 { try await gone.abandon(reason: "not needed") }
      _ = try await CompactionSample.fill(ledger, 3 + round)
      try await ledger.compact(CompactionSample.everything)
    }
    try await frozen.unfreeze()
    #expect(try await waiter.value == .resolved)
    // Its record is gone with its events: the waiter is told, and does not wait for ever.
    await #expect(throws: LedgerError.self) { try await lost.value }
    #expect(
      try await CompactionSample.records(frozen, ids) == CompactionSample.records(ledger, ids))
    let digest = try await ledger.engine.read(fromCopy: true) { try $0.digest() }
    #expect(try await frozen.engine.read(fromCopy: true) { try $0.digest() } == digest)
    await frozen.close()
    await ledger.close()
  }

  @Test func aReaderAmongDeletedEventsIsToldWhereToGoOn() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    _ = try await CompactionSample.fill(ledger, 10)
    let report = try await ledger.compact(CompactionSample.events)
    var events = ledger.events(after: .start).makeAsyncIterator()
    let error = await #expect(throws: LedgerError.self) { try await events.next() }
    #expect(error?.code == .eventsDeleted)
    let through = try #require(error?.eventsDeletedThrough)
    #expect(through == report.deletedThrough)
    var rest = ledger.events(after: through).makeAsyncIterator()
    #expect(try await rest.next()?.position == through.advanced(by: 1))
    await ledger.close()
  }

  @Test func aSecondCompactionIsRefused() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    let lock = try FileLock.open(LedgerDirectory(temporary.path).compaction)
    #expect(try lock.tryLock())
    let error = await #expect(throws: LedgerError.self) { try await ledger.compact() }
    #expect(error?.code == .compactionBusy)
    lock.close()
    try await ledger.compact()
    await ledger.close()
  }

  @Test func aSessionThatFreezesInACompactionLetsOthersCompact() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    let other = try await temporary.open(configuration: CompactionSample.configuration("other"))
    _ = try await CompactionSample.fill(ledger, 10)
    let (begun, resume, isBegun) = (AsyncStream<Void>.makeStream(), WakeSemaphore(), Flag())
    let compaction = Task {
      try await ledger.compact(.foldOnly) { _ in
        guard !isBegun.isSet else { return }
        isBegun.set()
        begun.continuation.yield()
        _ = resume.wait(timeout: .seconds(60))
      }
    }
    for await _ in begun.stream { break }
    let error = await #expect(throws: LedgerError.self) { try await other.compact(.foldOnly) }
    #expect(error?.code == .compactionBusy)
    try await ledger.freeze()
    #expect(try await other.compact(.foldOnly).snapshotPosition > .start)
    resume.signal()
    try await ledger.unfreeze()
    _ = try await compaction.value
    await ledger.close()
    await other.close()
  }

  @Test func aCancelledCompactionLetsGo() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    _ = try await CompactionSample.fill(ledger, 10)
    let task = Task {
      // Begins when it is cancelled.
      while !Task.isCancelled { await Task.yield() }
      _ = try await ledger.compact()
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await ledger.compact().foldedEvents > 0)
    await ledger.close()
  }

  /// - Parameter key: Of the handler, if it has one.
  @Test(arguments: ["key", nil])
  func everyCommandOnARemovedHandlerSaysThatItIsRemoved(key: String?) async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    let id =
      try key.map { try HandlerKey($0).handlerID } ?? HandlerID(entityID: ledger.makeID())
    _ = try await ledger.engine.submit(
      CreateHandler(id: id, .init(kind: "k", key: key), arguments: .none))
    let handler = ledger.handler(id: id)
    try await handler.invalidate()
    try await ledger.compact(CompactionSample.everything)

    let code = key == nil ? LedgerError.Code.handlerNotFound : .recordRemoved
    let words = key == nil ? ["were removed"] : []
    await expectError(code, naming: words) { try await handler.call() }
    await expectError(code, naming: words) { try await handler.rebind([:]) }
    await expectError(code, naming: words) { try await handler.merge([:]) }
    await expectError(code, naming: words) { try await handler.invalidate() }
    #expect(try await handler.record == nil)
    await ledger.close()
  }

  @Test func aLongTailIsCompactedByItself() async throws {
    let temporary = try TemporaryLedger()
    var configuration = CompactionSample.configuration()
    #expect(LedgerConfiguration().automaticCompaction?.tailEventCount == 50_000)
    configuration.automaticCompaction = AutomaticCompaction(tailEventCount: 50)
    let ledger = try await temporary.open(configuration: configuration)
    _ = try await CompactionSample.fill(ledger, 60)
    for try await event in ledger.events() where event.kind == .snapshotTaken {
      let taken = try #require(try event.decode(as: SnapshotTaken.self))
      #expect(taken.position.rawValue >= 50)
      break
    }
    await ledger.close()
  }

  @Test func aCompactionThatFailedIsFollowedByAnother() async throws {
    let temporary = try TemporaryLedger()
    let archives = FileSystem.parent(of: temporary.path) + "/archives"
    let log = AwaitedLog()
    var configuration = CompactionSample.configuration()
    configuration.logger = log.logger
    var policy = CompactionSample.events
    policy.archiveDirectory = archives
    configuration.automaticCompaction = AutomaticCompaction(tailEventCount: 50, policy: policy)
    let ledger = try await temporary.open(configuration: configuration)
    // There is no directory for its archive.
    _ = try await CompactionSample.fill(ledger, 60)
    for _ in 0..<10_000 where log.warnings.isEmpty { await Task.yield() }
    for _ in 0..<1_000 where log.warnings.isEmpty {
      _ = try await ledger.createPromise(of: Int.self)
    }
    #expect(log.warnings.first == "the ledger could not be compacted")
    try FileSystem.createDirectory(archives)
    for _ in 0..<1_000 where try FileSystem.list(archives).isEmpty {
      _ = try await ledger.createPromise(of: Int.self)
    }
    #expect(try !FileSystem.list(archives).isEmpty)
    await ledger.close()
  }

  @Test func aFullDiskInAnyCommitLosesNothing() async throws {
    for call in 1...12 {
      let temporary = try TemporaryLedger()
      let faults = FaultInjector()
      var configuration = CompactionSample.configuration()
      configuration.files.environment = Configuration(faults: faults)
      let ledger = try await temporary.open(configuration: configuration)
      let ids = try await CompactionSample.fill(ledger, 30)
      let before = try await CompactionSample.records(ledger, ids)
      faults.force(.system(.noSpace), on: .commit, call: call)
      do {
        try await ledger.compact(CompactionSample.events)
      } catch let error as LedgerError {
        #expect(error.code == .diskFull || error.code == .ioFailure, "call \(call): \(error)")
      }
      #expect(try await CompactionSample.records(ledger, ids) == before, "commit \(call)")
      _ = try SnapshotAudit(try await ledger.engine.openStore())
      if faults.firedCount == 0 { break }
      try await ledger.compact(CompactionSample.events)
      #expect(try await CompactionSample.records(ledger, ids) == before, "after commit \(call)")
      await ledger.close()
    }
  }
}
