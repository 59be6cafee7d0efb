import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Verifying a ledger that has a snapshot, with all events and with few.
@Suite(.timeLimit(.minutes(10)))
struct CompactedVerifyTests {
  private static let policies: [[CompactionPolicy]] = [
    [.foldOnly], [CompactionSample.events], [CompactionSample.everything],
    [CompactionSample.everything, .foldOnly, CompactionSample.everything],
  ]

  @Test(arguments: policies)
  func aHealthyOneHasNoFindings(policies: [CompactionPolicy]) async throws {
    let ledger = try await CompactedLedger(policies)
    let inspector = try BlockingInspector(at: ledger.path)
    let summary = try inspector.verify { Issue.record("\($0)") }
    #expect(summary.logDigest == (try inspector.logDigest()))
    let known = ledger.logDigest
    #expect(try inspector.logDigest(through: known.position) == known)
    #expect(summary.checkedThrough == (try inspector.head))
    #expect(summary.recordCount > 5)
    #expect(summary.attachmentCount > 0)
  }

  @Test func aSnapshotAtTheLastPossiblePositionIsFound() async throws {
    let ledger = try await CompactedLedger([CompactionSample.events])
    var summary = try BlockingInspector(at: ledger.path).store.snapshotSummary()
    summary.position = Position(rawValue: .max)
    summary.logDigest = LogDigest(position: summary.position, bytes: summary.logDigest.bytes)
    summary.deletedLog = summary.logDigest
    try ledger.put(summary.encoded, forKey: SnapshotSummary.key, in: "meta")
    #expect(try !ledger.findings().isEmpty)
  }

  @Test(arguments: policies)
  func listsThatDoNotFitAreFound(policies: [CompactionPolicy]) async throws {
    let ledger = try await CompactedLedger(policies)
    for entry in try ledger.entries(of: "open") {
      let id = OpenEntry(key: entry.key, value: entry.value).id
      try ledger.put(nil, forKey: entry.key, in: "open")
      #expect(try ledger.findings().contains { $0.subject == id }, "lost")
      try ledger.put(entry.value + [0], forKey: entry.key, in: "open")
      #expect(try ledger.findings().contains { $0.subject == id }, "changed")
      try ledger.put(entry.value, forKey: entry.key, in: "open")
    }
    let extra = OpenList.promises.key(EntityID.numbered(5), order: 7)
    try ledger.put([], forKey: extra, in: "open")
    #expect(try ledger.findings().map(\.subject).contains(.numbered(5)))
  }

  /// A record that is whole and holds an older state.
  @Test(arguments: policies)
  func recordsThatDifferFromTheirEventsAreFound(policies: [CompactionPolicy]) async throws {
    let ledger = try await CompactedLedger(policies)
    var count = 0
    for entry in try ledger.entries(of: "entities") {
      let id = try SnapshotRecord.id(ofKey: entry.key)
      try ledger.put(nil, forKey: entry.key, in: "entities")
      #expect(try !ledger.findings().isEmpty, "record \(id) is lost")
      let reader = try SnapshotReader(BlockingInspector(at: ledger.path).store)
      #expect(try reader.entity(id) == nil, "\(id)")
      try ledger.put(entry.value, forKey: entry.key, in: "entities")
      guard case .promise(let promise)? = try reader.entity(id), let resolution = promise.resolution
      else { continue }
      let older = promise.before(resolution)
      let piece = try SnapshotRecord.pieces(id, .promise, older.content)[0]
      try ledger.put(piece, forKey: entry.key, in: "entities")
      #expect(try !ledger.findings().isEmpty, "record \(id) is old")
      try ledger.put(entry.value, forKey: entry.key, in: "entities")
      count += 1
    }
    #expect(count > 0)
    #expect(try ledger.findings() == [])
  }

  private static let twenty: CompactionPolicy = {
    var policy = CompactionSample.events
    policy.minimumEventCount = 20
    return policy
  }()

  /// A record, with digest, counts and lists that fit it, that leaves out a kept event.
  @Test(arguments: [[.foldOnly], [twenty]] as [[CompactionPolicy]])
  func aSnapshotThatFitsItselfAndNotItsEventsIsFound(policies: [CompactionPolicy]) async throws {
    let ledger = try await CompactedLedger(policies)
    let changed = try edit(ledger) { (edit, promise, resolution) throws(LedgerError) in
      try edit.put(.promise(promise.before(resolution)), replacing: promise.stored)
    }
    #expect(try ledger.findings().map(\.subject) == [changed])
  }

  /// A record that is gone, with digest, counts and lists that fit that, although its events are kept.
  @Test(arguments: [[.foldOnly], [twenty]] as [[CompactionPolicy]])
  func aRecordThatTheSnapshotLacksIsFound(policies: [CompactionPolicy]) async throws {
    let ledger = try await CompactedLedger(policies)
    let removed = try edit(ledger) { (edit, promise, _) throws(LedgerError) in
      try edit.remove(promise.id.entityID, promise.stored)
    }
    #expect(try ledger.findings().map(\.subject).contains(removed))
  }

  /// Changes the record of a resolved promise whose events are kept.
  private func edit(
    _ ledger: CompactedLedger,
    _ change: (inout SnapshotEdit, PromiseEntity, PromiseEntity.Resolution) throws(LedgerError) ->
      Void
  ) throws -> EntityID {
    #expect(try ledger.findings() == [])
    let store = try LMDBEventStore(
      opening: LedgerDirectory(ledger.path), options: StoreOptions(sizeLimit: 1 << 30))
    defer { store.close() }
    let snapshot = try SnapshotReader(store)
    var changed: EntityID?
    try snapshot.forEachEntry(of: .promises) { (entry) throws(LedgerError) in
      guard let promise = try snapshot.entity(entry.id)?.promise,
        promise.lastPosition > snapshot.summary.deletedThrough, let resolution = promise.resolution
      else { return true }
      var edit = SnapshotEdit(snapshot.summary)
      try change(&edit, promise, resolution)
      try store.apply(edit, patience: Patience(.seconds(5)))
      changed = entry.id
      return false
    }
    return try #require(changed)
  }

  @Test func entriesWithoutAnOwnerAreFound() async throws {
    let ledger = try await CompactedLedger([CompactionSample.everything])
    let tombstones = try ledger.entries(of: "tombstones")
    #expect(!tombstones.isEmpty)
    #expect(try !ledger.entries(of: "parts").isEmpty)
    for table in ["tombstones", "parts", "blob"] {
      for entry in try ledger.entries(of: table) {
        try ledger.put(nil, forKey: entry.key, in: table)
        #expect(try !ledger.findings().isEmpty, "\(table) lost \(entry.key)")
        try ledger.put(entry.value, forKey: entry.key, in: table)
      }
    }
    let id = SnapshotRecord.key(.numbered(5))
    for (table, key) in [
      ("tombstones", id), ("parts", SnapshotRecord.partKey(.numbered(5), 1)),
      ("blob", Chunk.key(Position(rawValue: 2), 0)), ("tombstones", [1, 2]),
    ] {
      try ledger.put([], forKey: key, in: table)
      #expect(try !ledger.findings().isEmpty, "\(table) has \(key)")
      try ledger.put(nil, forKey: key, in: table)
    }
    #expect(try ledger.findings() == [])
  }

  @Test func aSnapshotWithoutItsEventsIsFound() async throws {
    let ledger = try await CompactedLedger([.foldOnly])
    var summary = try BlockingInspector(at: ledger.path).store.snapshotSummary()
    let whole = summary
    func found(_ part: String) throws {
      try ledger.put(summary.encoded, forKey: SnapshotSummary.key, in: "meta")
      #expect(try ledger.findings().contains { $0.message.contains(part) }, "\(part)")
      summary = whole
    }
    summary.stateDigest.addTombstone(.numbered(3))
    try found("state digest")
    summary.logDigest = LogDigest(position: summary.position, bytes: LogDigest.start.bytes)
    try found("log digest")
    summary.counts.handlers += 1
    try found("counts")
    summary.newestTimedID = EntityID(high: summary.newestTimedID.high - 1, low: .max)
    try found("newer than the newest id")
    summary.position = Position(rawValue: 10_000)
    summary.logDigest = LogDigest(position: summary.position, bytes: summary.logDigest.bytes)
    try found("comes after")
    summary.deletedLog = LogDigest(position: Position(rawValue: 3), bytes: LogDigest.start.bytes)
    try found("does not match the events")
  }
}

extension PromiseEntity {
  fileprivate var stored: SnapshotRecord.Stored {
    SnapshotRecord.Stored(type: .promise, content: content)
  }

  /// The promise when it was pending.
  fileprivate func before(_ resolution: Resolution) -> PromiseEntity {
    PromiseEntity(
      id: id, created: created, creationPayload: creationPayload, resolution: nil, closing: nil)
  }
}
