import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Looking at a ledger whose events were folded and deleted.
@Suite(.timeLimit(.minutes(10))) struct CompactedInspectionTests {
  private static let configuration = CompactionSample.configuration()

  /// Everything that inspection answers and compaction must not change.
  private struct Answers: Equatable {
    let records: [PromiseID: PromiseRecord]
    let open: [PromiseRecord]
    let ended: [PromiseRecord]
    let handlers: [HandlerRecord]
    let digest: StateDigest

    init(_ replayed: ReplayedLedger, _ ids: [PromiseID]) throws {
      var records: [PromiseID: PromiseRecord] = [:]
      for id in ids { records[id] = try replayed.record(of: id) }
      self.records = records
      open = try replayed.promises([.pending, .resolved])
      ended = try replayed.promises([.consumed, .abandoned])
      handlers = try replayed.handlers(includesClosed: true)
      digest = try replayed.digest()
    }
  }

  @Test func everyAnswerIsTheSame() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: Self.configuration)
    let ids = try await CompactionSample.fill(ledger, 60)
    let inspector = try BlockingInspector(at: temporary.path)
    let position = try inspector.head
    let held = try inspector.replay()
    let before = try Answers(held, ids)
    #expect(before.open.map(\.created.position).isSorted && before.open.count > 20)
    let ends = before.ended.compactMap { $0.consumed?.position }
    #expect(ends.isSorted)

    try await ledger.compact(.foldOnly)
    #expect(try Answers(held, ids) == before)
    let folded = try inspector.state(at: position)
    #expect(try Answers(folded, ids) == before)
    _ = try await ledger.createPromise(of: String.self)
    try await ledger.compact(CompactionSample.events)
    let gone = #expect(throws: LedgerError.self) { try Answers(folded, ids) }
    #expect(gone?.code == .eventsDeleted && gone?.eventsDeletedThrough != nil)

    let after = try Answers(inspector.replay(), ids)
    #expect(after.records == before.records)
    #expect(after.open.dropLast() == before.open[...] && after.ended == before.ended)
    await ledger.close()
  }

  @Test func pastStatesAreRebuiltAsFarAsEventsAllow() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: Self.configuration)
    let inspector = try BlockingInspector(at: temporary.path)
    var digests: [(Position, StateDigest)] = []
    for _ in 0..<6 {
      _ = try await CompactionSample.fill(ledger, 4)
      digests.append((try inspector.head, try inspector.replay().digest()))
    }
    try await ledger.compact(.foldOnly)
    _ = try await CompactionSample.fill(ledger, 4)
    digests.append((try inspector.head, try inspector.replay().digest()))
    for (position, digest) in digests {
      #expect(try inspector.state(at: position).digest() == digest, "position \(position)")
    }
    let late = #expect(throws: LedgerError.self) {
      try inspector.state(at: try inspector.head.advanced(by: 1))
    }
    #expect(late?.code == .invalidArgument)
    let report = try await ledger.compact(CompactionSample.events)
    for (position, _) in digests.dropLast() {
      let error = #expect(throws: LedgerError.self, "position \(position)") {
        try inspector.state(at: position)
      }
      #expect(error?.code == .eventsDeleted, "position \(position)")
      #expect(
        error?.message.contains("position \(report.snapshotPosition)") == true,
        "position \(position)")
    }
    #expect(try inspector.state(at: report.snapshotPosition).digest() == report.stateDigest)
    await ledger.close()
  }

  @Test func statisticsCountRecordsAndKeptEvents() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: Self.configuration)
    _ = try await CompactionSample.fill(ledger, 60)
    let inspector = try BlockingInspector(at: temporary.path)
    let before = try inspector.statistics()
    let report = try await ledger.compact(CompactionSample.events)
    let after = try inspector.statistics()
    #expect(after.promiseCounts == before.promiseCounts)
    #expect(after.sessionCount == 1 && after.openSessionCount == 1)
    #expect(after.deletedThrough == report.deletedThrough)
    #expect(after.snapshotPosition == report.snapshotPosition)
    #expect(after.eventCount == Int(try inspector.head.rawValue - report.deletedThrough.rawValue))
    await ledger.close()
  }

  @Test func subjectsAreFoundByTheirIDs() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: Self.configuration)
    let folded = try await CompactionSample.fill(ledger, 30)
    try await ledger.compact(CompactionSample.everything)
    let recent = try await (0..<3).asyncMap { _ in
      try await ledger.createPromise(of: String.self).id
    }
    let replayed = try BlockingInspector(at: temporary.path).replay()
    let all = try replayed.subjects(
      from: EntityID(high: 0, low: 0), through: EntityID(high: .max, low: .max), limit: .max)
    let promises = all.compactMap { if case .promise(let id) = $0 { id } else { nil } }
    let there = try (folded + recent).filter { try replayed.record(of: $0) != nil }
    #expect(there.count < folded.count + recent.count)
    #expect(promises == there.sorted { $0.entityID < $1.entityID })
    #expect(all.count == promises.count + 1)
    let id = folded[0].entityID
    #expect(try replayed.subjects(from: id, through: id, limit: 9) == [.promise(folded[0])])
    let some = try replayed.subjects(
      from: EntityID(high: 0, low: 0), through: EntityID(high: .max, low: .max), limit: 5)
    #expect(some == Array(all.prefix(5)))
    await ledger.close()
  }

  /// Makes 5,200 promises in few commits: twice as many are more than one view of a walk.
  private static func createMany(in ledger: Ledger) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<5_200 {
        group.addTask { _ = try await ledger.createPromise(of: String.self) }
      }
      try await group.waitForAll()
    }
  }

  @Test func aWalkGoesOnWhileTheLedgerIsFolded() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: Self.configuration)
    try await Self.createMany(in: ledger)
    let folded = try await ledger.createPromise(of: String.self)
    try await ledger.compact(.foldOnly)
    // It is in the snapshot and in the overlay.
    try await folded.fulfill("changed")
    try await Self.createMany(in: ledger)
    let replayed = try BlockingInspector(at: temporary.path).replay()
    #expect(try replayed.promises().map(\.id).count { $0 == folded.id } == 1)
    let store = try await ledger.engine.openStore()
    var folder = Folder()
    var seen: [Position] = []
    try replayed.forEachPromise { record in
      seen.append(record.created.position)
      if seen.count % 1_000 == 0 {
        _ = try folder.step(of: store, through: replayed.position, limit: 700)
      }
      return true
    }
    #expect(seen.count == 10_401 && seen.isSorted)
    #expect(Set(seen).count == seen.count)
    await ledger.close()
  }
}

extension Sequence {
  fileprivate func asyncMap<Result>(
    _ transform: (Element) async throws -> Result
  ) async throws -> [Result] {
    var result: [Result] = []
    for element in self { result.append(try await transform(element)) }
    return result
  }
}

extension [Position] {
  fileprivate var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}
