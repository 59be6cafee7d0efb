import LedgerModelTestSupport
import LedgerTestSupport
import PromiseLedgerTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// The first property of compaction: folding up to any position and replaying the rest is the same as
/// replaying everything.
@Suite(.timeLimit(.minutes(10))) struct FoldPropertyTests {
  @Test(arguments: TestAmount.seeds(250))
  func foldingUpToAnyPositionChangesNothing(seed: UInt64) throws {
    var writer = RandomLedger(seed: seed)
    for _ in 0..<6 { writer.writeGroup() }
    let whole = try Answers(writer.ledger.replayed(), writer)
    let head = writer.ledger.state.position
    let store = InMemoryEventStore()
    try writer.ledger.write(to: store)
    var folder = Folder()
    for position in 0...head.rawValue {
      if position > 0 {
        let step = try #require(
          try folder.step(of: store, through: Position(rawValue: position), limit: 1_000))
        #expect(step.eventCount == 1, "seed \(seed), \(position)")
      }
      let folded = try LedgerState.tail(of: store)
      #expect(folded.base == Position(rawValue: position), "seed \(seed), \(position)")
      #expect(
        folded.overlaid.allSatisfy { $0.lastPosition > folded.base }, "seed \(seed), \(position)")
      #expect(try Answers(folded, writer) == whole, "seed \(seed), folded to \(position)")
    }
    #expect(try folder.step(of: store, through: head, limit: 1_000) == nil)
  }

  @Test(arguments: TestAmount.seeds(10, from: 2_001))
  func foldingInAnySlicesMakesTheSameSnapshot(seed: UInt64) throws {
    var writer = RandomLedger(seed: seed)
    for _ in 0..<40 { writer.writeGroup() }
    var summaries: Set<SnapshotSummary> = []
    for maker in StoreMaker.all {
      // Folding on PostgreSQL takes several round trips a step.
      if maker.isSlow, seed > 2_000 + UInt64(TestAmount.factor) { continue }
      for limit in [1, 7, 100, 100_000] {
        let subject = try maker.make()
        try writer.ledger.write(to: subject.store)
        var folder = Folder()
        while try folder.step(
          of: subject.store, through: writer.ledger.state.position, limit: limit) != nil
        {}
        try folder.markReadBack(of: subject.store)
        summaries.insert(try subject.store.snapshotSummary())
        #expect(
          try Answers(.tail(of: subject.store), writer) == Answers(writer.ledger.state, writer))
      }
    }
    #expect(summaries.count == 1, "seed \(seed)")
    #expect(summaries.first?.stateDigest == (try writer.ledger.state.digest()))
  }

  @Test(arguments: TestAmount.seeds(50, from: 3_001))
  func aStateThatIsAheadOfTheSnapshotIsRebasedOntoIt(seed: UInt64) throws {
    var writer = RandomLedger(seed: seed)
    for _ in 0..<20 { writer.writeGroup() }
    let whole = try Answers(writer.ledger.state, writer)
    let store = InMemoryEventStore()
    try writer.ledger.write(to: store)
    var state = try LedgerState.tail(of: store)
    var folder = Folder()
    while try folder.step(of: store, through: state.position, limit: 9) != nil {
      #expect(try state.rebase(onto: SnapshotReader(store)) == false)
      #expect(state.overlaid.allSatisfy { $0.lastPosition > state.base })
      #expect(try Answers(state, writer) == whole, "seed \(seed), at \(state.base)")
    }
    #expect(state.overlaid.isEmpty)
  }

  @Test(arguments: TestAmount.seeds(50, from: 4_001))
  func aStateThatIsBehindTheSnapshotStartsFromIt(seed: UInt64) throws {
    var writer = RandomLedger(seed: seed)
    for _ in 0..<20 { writer.writeGroup() }
    let whole = try Answers(writer.ledger.state, writer)
    let store = InMemoryEventStore()
    try writer.ledger.write(to: store)
    let middle = Position(rawValue: writer.ledger.state.position.rawValue / 2)
    var state = try LedgerState.tail(of: store, through: middle)
    var folder = Folder()
    while try folder.step(of: store, through: writer.ledger.state.position, limit: 100) != nil {}
    #expect(try state.rebase(onto: SnapshotReader(store)))
    #expect(state.overlaid.isEmpty)
    #expect(try Answers(state, writer) == whole, "seed \(seed)")
  }

  @Test func theSnapshotCannotGoBack() throws {
    var writer = RandomLedger(seed: 7)
    for _ in 0..<5 { writer.writeGroup() }
    let store = InMemoryEventStore()
    try writer.ledger.write(to: store)
    var folder = Folder()
    while try folder.step(of: store, through: writer.ledger.state.position, limit: 100) != nil {}
    var state = try LedgerState.tail(of: store)
    #expect { try state.rebase(onto: .empty) } throws: {
      ($0 as? LedgerError)?.code == .corrupt
    }
  }

  @Test func foldingStopsBeforeAnEventThatItDoesNotUnderstand() throws {
    var writer = RandomLedger(seed: 8)
    for _ in 0..<5 { writer.writeGroup() }
    let good = writer.ledger.state.position
    try writer.ledger.append([.raw(EventKind(rawValue: 999), on: .numbered(1))])
    for _ in 0..<5 { writer.writeGroup() }
    let store = InMemoryEventStore()
    try writer.ledger.write(to: store)
    var folder = Folder()
    let end = writer.ledger.state.position
    let first = try #require(try folder.step(of: store, through: end, limit: 100_000))
    #expect(first.position == good)
    #expect(first.problem?.code == .unsupportedEvent)
    #expect(first.problem?.message.contains("position \(good.advanced(by: 1))") == true)
    let second = try #require(try folder.step(of: store, through: end, limit: 100_000))
    #expect(second.eventCount == 0)
    #expect(second.problem?.code == .unsupportedEvent)
    #expect(try store.snapshotSummary().position == good)
    #expect(
      try Answers(.tail(of: store), writer) == Answers(writer.ledger.replayed(), writer))
  }
}
