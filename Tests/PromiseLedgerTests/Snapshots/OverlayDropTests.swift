import LedgerModelTestSupport
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// The overlay may keep entities that are in the snapshot for a while, and drop them bit by bit: no
/// answer changes.
@Suite(.timeLimit(.minutes(10))) struct OverlayDropTests {
  @Test(arguments: TestAmount.seeds(12))
  func droppingBitByBitChangesNoAnswer(seed: UInt64) throws {
    var writer = RandomLedger(seed: seed)
    for _ in 0..<20 { writer.writeGroup() }
    let store = InMemoryEventStore()
    try writer.ledger.write(to: store)
    var (state, reference) = (LedgerState(), LedgerState())
    var folder = Folder()
    for (number, frame) in writer.ledger.frames.enumerated() {
      try frame.replay(into: &state)
      try frame.replay(into: &reference)
      // The snapshot follows, at some distance; few seeds have distances of all sizes, too.
      let head = state.position.rawValue
      let end = Position(rawValue: head - min(head, (seed - 1) * 7 % 30))
      _ = try folder.step(of: store, through: end, limit: 9)
      #expect(
        try state.rebase(onto: SnapshotReader(store), drops: false) == false,
        "seed \(seed), frame \(number)")
      state.beginDrop()
      _ = state.dropStep(placeCount: 1 + Int(seed) % 7)
      _ = try state.nextDeadline()
      #expect(
        try Answers(state, writer) == Answers(reference, writer), "seed \(seed), frame \(number)")
    }
    while try folder.step(of: store, through: state.position, limit: 100) != nil {}
    #expect(try state.rebase(onto: SnapshotReader(store), drops: false) == false)
    state.dropAllFolded()
    #expect(state.overlaid.isEmpty)
    #expect(try Answers(state, writer) == Answers(reference, writer), "seed \(seed), dropped")
  }

  /// The steps of a reader that receives many events at a time.
  @Test(arguments: [400, 2_000])
  func aWalkEndsWhileManyEventsCome(count: Int) throws {
    let subject = try CompactedStore(InMemoryEventStore(), seed: 1, groupCount: 1)
    let replica = Replica(try .tail(of: subject.store))
    var longest = 0
    for group in 1...8 {
      try subject.fold(limit: 10_000)
      for part in 0..<4 {
        try createPromises(count / 4, in: subject, from: 10_000 * group + 1_000 * part)
      }
      _ = try replica.catchUp(from: subject.store)
      longest = max(longest, replica.withState { $0.promises.count })
    }
    // A walk begins after 1,000 events, or as many as the overlay has, and ends within as many again.
    #expect(longest <= max(4_000, 3 * count))
  }

  @Test func compactionLeavesNothingOfFoldedEvents() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    _ = try await CompactionSample.fill(ledger, 100)
    _ = try await ledger.compact(.foldOnly)
    let overlaid = ledger.engine.replica.withState { $0.overlaid.map(\.id) }
    #expect(overlaid.isEmpty)
    await ledger.close()
  }

  @Test func deadlinesOfDroppedPromisesTakeNoMemory() throws {
    let subject = try CompactedStore(InMemoryEventStore(), seed: 1, groupCount: 1)
    subject.dropsAtOnce = false
    for group in 1...20 {
      try createPromises(200, in: subject, from: 1_000 * group, deadline: .at(.max - 1))
      try subject.fold(limit: 10_000)
      subject.state.dropAllFolded()
    }
    #expect(subject.state.deadlines.count < 1_300)
    #expect(try subject.state.due(at: .at(.max), limit: 10_000).count >= 4_000)
  }

  /// As in a ledger made from an archive: nothing else limits where its events begin.
  @Test func aSnapshotAtAnyPositionIsCaughtUpWith() throws {
    let store = InMemoryEventStore()
    var summary = SnapshotSummary()
    summary.position = ArchiveHeader.greatestBase
    _ = try store.changeSnapshot(
      [], from: SnapshotSummary(), to: summary, patience: Patience(.seconds(5)))
    let replica = Replica()
    _ = try replica.catchUp(from: store, sliceEventCount: 10)
    #expect(replica.position == summary.position)
  }

  private func createPromises(
    _ count: Int, in subject: CompactedStore, from number: Int, deadline: Timestamp? = nil
  ) throws {
    try subject.commit { decision in
      for number in number..<(number + count) {
        _ = try decision.run(CreatePromise(.numbered(number), deadline: deadline))
      }
    }
  }
}
