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

/// A ledger that is damaged, or no longer in use, is not compacted: nothing that could help to
/// repair it is deleted.
@Suite(.timeLimit(.minutes(10))) struct DamagedCompactionTests {
  private let temporary: TemporaryLedger

  init() throws { temporary = try TemporaryLedger() }

  /// Changes the files while the ledger is open.
  private func edit(
    _ body: (inout WriteTransaction, _ log: Table, _ meta: Table) throws -> Void
  ) throws {
    let environment = try Environment.open(
      at: LedgerDirectory(temporary.path).generation(LedgerDirectory.firstGeneration),
      tables: LedgerTables.descriptions)
    let (log, meta) = (
      try environment.table(named: "log"), try environment.table(named: "meta")
    )
    try environment.write { transaction in try body(&transaction, log, meta) }
    try environment.close()
  }

  /// Turns over a bit of a frame, or turns it back.
  ///
  /// - Returns: The position of its first event.
  @discardableResult
  private func flipBit(inFrame number: Int) throws -> Position {
    var position = Position.start
    try edit { transaction, log, _ in
      var frames: [(key: UInt64, bytes: [UInt8])] = []
      try transaction.scan(log) { key, value in
        frames.append((key, Array(copying: value)))
        return true
      }
      var (key, bytes) = frames[number]
      bytes[bytes.count / 2] ^= 4
      try transaction.put(bytes.span, forKey: key, in: log)
      position = Position(rawValue: key)
    }
    return position
  }

  private func frameCount() throws -> Int {
    var count = 0
    try edit { transaction, log, _ in
      try transaction.scan(log) { _, _ in
        count += 1
        return true
      }
    }
    return count
  }

  @Test(arguments: [3, 20])
  func aDamagedEventStopsIt(frame: Int) async throws {
    var configuration = CompactionSample.configuration()
    configuration.hooks.sliceEventCount = 7
    let ledger = try await temporary.open(configuration: configuration)
    let ids = try await CompactionSample.fill(ledger, 30)
    let before = try await CompactionSample.records(ledger, ids)
    let position = try flipBit(inFrame: frame)
    let count = try frameCount()
    for _ in 0..<2 {
      let report = try await ledger.compact(.everything())
      #expect(report.problem?.contains("\(position)") == true, "\(report.problem ?? "none")")
      #expect(report.deletedEvents == 0 && report.removedRecords == 0)
      #expect(report.deletedThrough == .start && report.snapshotPosition < position)
    }
    // Its own events are the only ones that were added.
    #expect(try frameCount() >= count)
    #expect(try await CompactionSample.records(ledger, ids) == before)

    try flipBit(inFrame: frame)
    let report = try await ledger.compact(CompactionSample.events)
    #expect(report.problem == nil && report.deletedThrough > position)
    #expect(try await CompactionSample.records(ledger, ids) == before)
    await ledger.close()
  }

  @Test func anEventOfANewerBuildStopsIt() async throws {
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    let ids = try await CompactionSample.fill(ledger, 12)
    let store = try await ledger.engine.openStore()
    var batch = EventBatch()
    try batch.append(.raw(EventKind(rawValue: 999), on: ids[0].entityID))
    let unknown = batch
    let position = try store.commit(
      CommitID(session: .numbered(9), number: 1), after: try store.head(),
      patience: Patience(.seconds(5)), catchUp: { _ in }, decide: { _, _ in unknown })
    _ = try await CompactionSample.fill(ledger, 12)
    let report = try await ledger.compact(.everything())
    #expect(report.problem?.contains("\(position)") == true)
    #expect(report.snapshotPosition.advanced(by: 1) == position)
    #expect(report.deletedEvents == 0 && report.deletedThrough == .start)
    #expect(try store.snapshotSummary().deletedThrough == .start)
    await ledger.close()
  }

  @Test(.timeLimit(.minutes(5))) func anAutomaticCompactionReportsItsObstacle() async throws {
    let log = AwaitedLog()
    var configuration = CompactionSample.configuration()
    configuration.logger = log.logger
    configuration.automaticCompaction = AutomaticCompaction(tailEventCount: 20)
    let ledger = try await temporary.open(configuration: configuration)
    let promise = try await ledger.createPromise(of: String.self)
    let store = try await ledger.engine.openStore()
    var batch = EventBatch()
    try batch.append(.raw(EventKind(rawValue: 999), on: promise.id.entityID))
    let unknown = batch
    _ = try store.commit(
      CommitID(session: .numbered(9), number: 1), after: try store.head(),
      patience: Patience(.seconds(5)), catchUp: { _ in }, decide: { _, _ in unknown })
    while log.warnings.isEmpty { _ = try await ledger.createPromise(of: String.self) }
    #expect(log.warnings.allSatisfy { $0 == "the ledger could not be compacted" })
    await ledger.close()
  }

  @Test(.timeLimit(.minutes(5))) func aSessionWhoseRecordIsDamagedIsNotForgotten() async throws {
    let log = AwaitedLog()
    var configuration = CompactionSample.configuration()
    configuration.logger = log.logger
    configuration.pollInterval = .milliseconds(500)
    let ledger = try await temporary.open(configuration: configuration)
    let other = try await temporary.open(
      as: .operator, configuration: CompactionSample.configuration("other"))
    try await ledger.compact(.foldOnly)
    let store = try await ledger.engine.openStore()
    let key = SnapshotRecord.key(other.session.entityID)
    let record = try store.readSnapshot { (tables) throws(LedgerError) in
      try tables.value(forKey: key, in: .entities)
    }
    var damaged = try #require(record)
    damaged[damaged.count - 1] ^= 1
    let summary = try store.snapshotSummary()
    _ = try store.changeSnapshot(
      [TableChange(.entities, key, damaged)], from: summary, to: summary,
      patience: Patience(.seconds(5)))
    while log.warnings.isEmpty { _ = try await ledger.createPromise(of: String.self) }
    #expect(log.warnings.first == "the search for dead sessions failed")
    await ledger.close()
    await other.close()
  }

  @Test func aCompactionRemovesTheSealOfAKilledShrink() async throws {
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    _ = try await CompactionSample.fill(ledger, 8)
    let store = try await ledger.engine.openStore()
    try edit { transaction, _, meta in
      let key = LedgerMetadata.key
      var metadata = try LMDBLog.metadata(of: transaction, meta)
      metadata.isSealed = true
      try transaction.put(metadata.encoded.span, forKey: key.span, in: meta)
    }
    #expect(try await ledger.compact().foldedEvents > 0)
    #expect(try store.snapshotSummary() != SnapshotSummary())
    await ledger.close()
  }

  /// No events are lost if they cannot be archived.
  @Test func anArchiveThatCannotBeWrittenKeepsTheEvents() async throws {
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    _ = try await CompactionSample.fill(ledger, 12)
    let parent = FileSystem.parent(of: temporary.path)
    try FileSystem.writeAtomically([1], to: parent + "/file")
    let store = try await ledger.engine.openStore()
    for directory in [parent + "/nowhere", parent + "/file", "/proc"] {
      let error = await #expect(throws: LedgerError.self, "\(directory)") {
        try await ledger.compact(.everything(archivedIn: directory))
      }
      #expect(error?.message.contains(directory) == true, "\(directory)")
      #expect(error?.message.contains("No event was deleted") == true, "\(directory)")
      #expect(try store.snapshotSummary().deletedThrough == .start, "\(directory)")
    }
    #expect(try await ledger.compact(.everything(archivedIn: parent)).deletedEvents > 0)
    await ledger.close()
  }
}
