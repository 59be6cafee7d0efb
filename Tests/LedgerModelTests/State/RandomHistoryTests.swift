import LedgerModelTestSupport
import LedgerTestSupport
import Testing

@testable import LedgerModel

/// Random commands in random groups, some of whose commits fail: the merged state must be the state
/// that a replay computes from the frames.
@Suite(.timeLimit(.minutes(10))) struct RandomHistoryTests {
  /// Writes a random history from a seed.
  struct Writer {
    var generator: SeededGenerator
    var ledger: PureLedger
    var droppedCount = 0
    var refusedCount = 0

    init(seed: UInt64) {
      generator = SeededGenerator(seed: seed)
      ledger = PureLedger(now: .at(1_000))
    }

    /// Makes one commit of a random number of commands, and keeps or drops it.
    mutating func writeGroup() {
      ledger.context.session = .numbered(Int.random(in: 1...3, using: &generator))
      ledger.context.role = SessionRole.allCases.randomElement(using: &generator) ?? .app
      // The clock jumps, also backwards.
      ledger.context.now = .at(
        ledger.context.now.nanosecondsSinceEpoch + .random(in: -200...400, using: &generator))
      var decision = ledger.decision()
      for _ in 0..<Int.random(in: 1...12, using: &generator) { run(in: &decision) }
      if generator.chance(1, of: 5) { droppedCount += 1 } else { ledger.keep(decision) }
    }

    private mutating func run(in decision: inout Decision) {
      do throws(LedgerError) {
        try decide(in: &decision)
      } catch {
        refusedCount += 1
      }
    }

    private mutating func decide(in decision: inout Decision) throws(LedgerError) {
      let id = PromiseID.numbered(Int.random(in: 1...12, using: &generator))
      switch Int.random(in: 0..<20, using: &generator) {
      case 0..<6: _ = try decision.run(create(id))
      case 6..<11: _ = try decision.run(resolve(id))
      case 11..<13: _ = try decision.run(ConsumePromise(id: id, delivery: .recordedBefore))
      case 13: _ = try decision.run(AbandonPromise(id: id, reason: generator.text(5)))
      case 14: _ = try decision.run(TimeOutDuePromises())
      case 15: _ = try decision.run(RollbackTests.FailHalfWay(ids: [id, .numbered(13)]))
      case 16: try decision.run(OpenSession(.sample(role: ledger.context.role)))
      case 17: try decision.run(FreezeSession())
      case 18: try decision.run(UnfreezeSession(processID: 7))
      default:
        let session = SessionID.numbered(Int.random(in: 1...3, using: &generator))
        try decision.run(CloseSession(id: session, reason: .died))
      }
    }

    private mutating func key() -> String? {
      ["a", "b", nil].randomElement(using: &generator) ?? nil
    }

    private mutating func create(_ id: PromiseID) -> CreatePromise {
      let delay = Int64.random(in: -100...900, using: &generator)
      let deadline = ledger.context.now + .nanoseconds(delay)
      return CreatePromise(
        id, deadline: generator.chance(1, of: 2) ? deadline : nil,
        effect: generator.chance(1, of: 3) ? .fulfils : .timesOut,
        idempotencyKey: key(), isStrict: generator.chance(1, of: 2))
    }

    private mutating func resolve(_ id: PromiseID) -> ResolvePromise {
      let sizes = [0, 10, 100, 3_000, 5_000]
      let outcome = [PromiseOutcomeKind.fulfilled, .rejected, .cancelled].randomElement(
        using: &generator)
      return ResolvePromise(
        id, outcome ?? .fulfilled,
        content: generator.bytes(sizes.randomElement(using: &generator) ?? 0),
        typeTag: generator.chance(1, of: 10) ? "number" : nil,
        idempotencyKey: key(), isStrict: generator.chance(1, of: 2))
    }
  }

  @Test(arguments: TestAmount.seeds(500))
  func theMergedStateEqualsAReplayOfTheFrames(seed: UInt64) throws {
    var writer = Writer(seed: seed)
    for _ in 0..<20 { writer.writeGroup() }

    #expect(
      try writer.ledger.replayed().contents == writer.ledger.state.contents, "seed \(seed)")
  }

  @Test(arguments: TestAmount.seeds(50, from: 501))
  func noHistoryBlocksASubject(seed: UInt64) throws {
    var writer = Writer(seed: seed)
    for _ in 0..<20 { writer.writeGroup() }

    #expect(try writer.ledger.replayed().blocked.isEmpty, "seed \(seed)")
  }

  @Test(arguments: TestAmount.seeds(50, from: 551))
  func theTablesOfOpenPromisesAgreeWithThePromises(seed: UInt64) throws {
    var writer = Writer(seed: seed)
    for _ in 0..<20 { writer.writeGroup() }

    let state = try writer.ledger.replayed()
    let open = state.promises.all.filter { $0.closing == nil }
    let timed = Dictionary(
      uniqueKeysWithValues: state.promises.all
        .filter { $0.status == .pending && $0.deadline != nil }.map { ($0.id, $0) })
    let due = try state.due(at: .at(.max), limit: .max)
    #expect(state.promises.open == open, "seed \(seed)")
    #expect(Set(due) == Set(timed.keys), "seed \(seed)")
    #expect(
      due
        == due.sorted { (timed[$0]?.deadline ?? .at(0), $0) < (timed[$1]?.deadline ?? .at(0), $1) },
      "seed \(seed)")
  }

  @Test(arguments: TestAmount.seeds(50, from: 601))
  func aReplayThatStopsAnywhereGoesOnToTheSameState(seed: UInt64) throws {
    var writer = Writer(seed: seed)
    for _ in 0..<10 { writer.writeGroup() }

    let cut = Int.random(in: 0...writer.ledger.frames.count, using: &writer.generator)
    #expect(
      try writer.ledger.replayed(stoppingAt: cut).contents == writer.ledger.state.contents,
      "seed \(seed)")
  }

  @Test func theHistoriesDoEverythingThatTheyAreMeantToDo() throws {
    var kinds: Set<EventKind> = []
    var outcomes: Set<PromiseOutcomeKind> = []
    var droppedCount = 0
    var refusedCount = 0
    for seed in 1...20 as ClosedRange<UInt64> {
      var writer = Writer(seed: seed)
      for _ in 0..<20 { writer.writeGroup() }
      for frame in writer.ledger.frames { kinds.formUnion(try frame.events().map(\.kind)) }
      outcomes.formUnion(writer.ledger.state.promises.all.compactMap(\.resolution?.outcome))
      droppedCount += writer.droppedCount
      refusedCount += writer.refusedCount
    }

    #expect(kinds == Set(EventKind.all.prefix(9)))
    #expect(outcomes == Set(PromiseOutcomeKind.allCases))
    #expect(droppedCount > 20)
    #expect(refusedCount > 100)
  }
}
