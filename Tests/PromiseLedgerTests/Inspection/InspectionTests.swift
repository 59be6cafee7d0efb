import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

@Suite(.timeLimit(.minutes(10)))
struct InspectionTests {
  @Test func statisticsCountEverything() throws {
    let ledger = try CraftedLedger.sample()
    let inspector = try BlockingInspector(at: ledger.path)
    let statistics = try inspector.statistics()
    let space = try inspector.space {}
    #expect(statistics.head == (try inspector.head))
    #expect(statistics.eventCount == 110)
    #expect(statistics.commitCount == 6)
    #expect(statistics.frameCount == (try ledger.frames().count))
    #expect(statistics.frameByteCount == (try ledger.frames().map(\.bytes.count).reduce(0, +)))
    #expect(statistics.attachmentCount == 1 && statistics.attachmentByteCount == 9_001)
    #expect(statistics.eventCounts[.promiseCreated] == 104)
    #expect(statistics.eventCounts[EventKind(rawValue: 999)] == 1)
    #expect(
      statistics.promiseCounts == [.pending: 102, .resolved: 0, .consumed: 1, .abandoned: 1])
    #expect(statistics.sessionCount == 1 && statistics.openSessionCount == 1)
    #expect(statistics.firstTime == .at(1_000) && statistics.lastTime == .at(1_000))
    #expect(space.tables.map(\.name).prefix(2) == ["blob", "entities"])
    #expect(space.tables.first { $0.name == "blob" }?.recordCount == 3)
    #expect(space.freeByteCount <= space.fileByteCount)
  }

  @Test func replayShowsPromisesAndStaleOnes() async throws {
    let temporary = try TemporaryLedger()
    let app = try await temporary.open()
    let name = try await app.createPromise(of: String.self, tags: ["a"])
    try await name.fulfill("Zoë")
    _ = try await app.createPromise(of: String.self)
    let large = try await app.createPromise(of: [UInt8].self)
    try await large.fulfill([UInt8](repeating: 1, count: 9_000))
    await app.close()
    let replayed = try BlockingInspector(at: temporary.path).replay()
    let records = try replayed.promises([.resolved])
    #expect(records.map(\.id) == [name.id, large.id])
    #expect(records.map(\.outcomeKind) == [.fulfilled, .fulfilled])
    #expect(records[0].outcome != nil && records[1].outcome == nil)
    #expect(try records.allSatisfy { try replayed.isStale($0) })
    #expect(try replayed.record(of: large.id)?.outcome != nil)
    #expect(try replayed.record(of: PromiseID.numbered(1)) == nil)
  }

  @Test func promiseOfALiveSessionIsNotStaleAndOfADeadOneIs() throws {
    var ledger = try CraftedLedger()
    let session = SessionID.numbered(1)
    let promise = PromiseID.numbered(1)
    try ledger.commit([
      .of(LedgerCreated(formatVersion: 0), on: .numbered(77)),
      .of(SessionOpened.sample(), on: session.entityID),
      .of(PromiseCreated(typeTag: "text"), on: promise.entityID),
      .of(
        PromiseResolved(
          outcome: .fulfilled, resolvedAt: .at(9), idempotencyKey: nil, content: []),
        on: promise.entityID),
    ])
    let replayed = try BlockingInspector(at: ledger.path).replay()
    let record = try #require(try replayed.record(of: promise))
    let directory = LedgerDirectory(ledger.path)
    #expect(try replayed.isStale(record), "no process ever had this session")
    let lock = try SessionLock(directory, session)
    #expect(try !replayed.isStale(record))
    try lock.freeze()
    #expect(try !replayed.isStale(record))
  }
}
