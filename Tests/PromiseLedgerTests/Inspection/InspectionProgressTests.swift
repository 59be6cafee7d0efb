import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// The inspection of a large ledger reports progress again and again, so that a watchdog can
/// distinguish it from one that came to no end.
@Suite(.timeLimit(.minutes(10))) struct InspectionProgressTests {
  private static let promiseCount = 2_400
  /// The value of one fulfilled promise in twenty: more chunks, all together, than one beat takes.
  private static let largeValue = String(repeating: "x", count: 45_000)

  /// A closed ledger with consumed promises, half of them with keys.
  private static func large(_ policy: CompactionPolicy?) async throws -> TemporaryLedger {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    try await withThrowingTaskGroup { group in
      // Many at once, so that few commits hold them.
      for worker in 0..<240 {
        group.addTask {
          for number in 0..<(promiseCount / 240) {
            let promise: DurablePromise<String> =
              number % 2 == 0
              ? try await ledger.findOrCreatePromise(key: try PromiseKey("\(worker) \(number)"))
              : try await ledger.createPromise()
            try await promise.fulfill(number == 0 && worker % 2 == 0 ? largeValue : "x")
            _ = try await promise.consume()
          }
        }
      }
      try await group.waitForAll()
    }
    if let policy { try await ledger.compact(policy) }
    await ledger.close()
    return temporary
  }

  @Test func walksOverRecordsAreHeardOf() async throws {
    let ledger = try await Self.large(CompactionSample.events)
    let inspector = try BlockingInspector(at: ledger.path)
    let replayed = try inspector.replay()
    let ticks = Ticks()
    _ = try inspector.space(ticks.add)
    #expect(try ticks.take() == Self.pageTicks(of: ledger))
    // Sessions end here, too, and slices have 1,000 records.
    let statistics = try inspector.statistics { _ in ticks.add() }
    #expect(statistics.promiseCounts[.consumed] == Self.promiseCount)
    #expect(
      try ticks.take() == Self.pageTicks(of: ledger) + 9,
      "pages, one slice of events, three of what ended, one of each open list, counts")
    try replayed.forEachPromise([.consumed], progress: ticks.add) { _ in true }
    #expect(ticks.take() == 3)
    try replayed.forEachHandler(includesClosed: true, progress: ticks.add) { _ in true }
    #expect(ticks.take() == 4, "also where no handler is")
    _ = try replayed.subjects(
      from: EntityID(high: 0, low: 0), through: EntityID(high: .max, low: .max),
      of: [.handler], limit: 1, progress: ticks.add)
    #expect(ticks.take() == 3)
    let plan = try inspector.plan(CompactionSample.everything) { _ in ticks.add() }
    #expect(plan.recordsToRemove == Self.promiseCount)
    #expect(ticks.take() == 5, "two of entries of lists, two of records, one of events to delete")
  }

  @Test func theDigestOfATailIsHeardOf() async throws {
    let ledger = try await Self.large(nil)
    let replayed = try BlockingInspector(at: ledger.path).replay()
    let ticks = Ticks()
    _ = try replayed.digest(progress: ticks.add)
    #expect(ticks.take() == Self.promiseCount / Pulse.interval)
  }

  @Test func verificationOfASnapshotIsHeardOf() async throws {
    let ledger = try await Self.large(CompactionSample.events)
    #expect(try Self.snapshotTicks(of: ledger) == 4, "records, and then their lists")
    let positions = try Self.positions(ofVerifying: ledger)
    #expect(
      try positions.count { $0 == .start } == Self.pageTicks(of: ledger) + 4 + 2,
      "pages, large values of records, and their chunks")
  }

  @Test func verificationOfTombstonesIsHeardOf() async throws {
    let ledger = try await Self.large(CompactionSample.everything)
    #expect(try Self.snapshotTicks(of: ledger) == 1)
  }

  @Test func comparingReplayWithASnapshotIsHeardOf() async throws {
    let ledger = try await Self.large(.foldOnly)
    let positions = try Self.positions(ofVerifying: ledger)
    // Each slice of the log ends at another position.
    let ticks = positions.count - Set(positions).subtracting([.start]).count
    let chunkTicks = 2
    #expect(
      try ticks >= Self.snapshotTicks(of: ledger) + chunkTicks + Self.promiseCount / Pulse.interval)
  }

  /// How often a check of all pages reports progress.
  private static func pageTicks(of ledger: TemporaryLedger) throws -> Int {
    let ticks = Ticks()
    _ = try BlockingInspector(at: ledger.path).store.checkStructure {
      ticks.add()
      return true
    }
    return ticks.take()
  }

  private static func positions(ofVerifying ledger: TemporaryLedger) throws -> [Position] {
    var positions: [Position] = []
    let inspector = try BlockingInspector(at: ledger.path)
    _ = try inspector.verify(
      progress: { positions.append($0) }, { Issue.record("\($0)") })
    return positions
  }

  /// How often the checks on a snapshot by itself are heard of.
  private static func snapshotTicks(of ledger: TemporaryLedger) throws -> Int {
    let ticks = Ticks()
    try BlockingInspector(at: ledger.path).store.readSnapshot { (tables) throws(LedgerError) in
      var checks = SnapshotChecks(tables, Findings())
      try checks.run(ticks.add)
    }
    return ticks.take()
  }
}

/// Counts how often something was heard of.
private final class Ticks {
  private var count = 0

  func add() { count += 1 }

  /// How often since this was asked before.
  func take() -> Int {
    defer { count = 0 }
    return count
  }
}
