import Testing

@testable import PromiseLedger

/// The overlay may keep what the snapshot has for a while, and drop it bit by bit: no answer changes.
@Suite struct OverlayDropTests {
  @Test(arguments: 1...60 as ClosedRange<UInt64>)
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
      // The snapshot follows, at some distance.
      let head = state.position.rawValue
      let end = Position(rawValue: head - min(head, seed % 30))
      _ = try folder.step(of: store, through: end, limit: 9)
      #expect(try state.rebase(onto: SnapshotReader(store), drops: false) == false)
      state.dropFolded(limit: 1 + Int(seed) % 7)
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

  @Test func aWalkEndsWhileManyEventsCome() throws {
    let subject = try CompactedStore(InMemoryEventStore(), seed: 1, groupCount: 1)
    subject.dropsAtOnce = false
    var longest = 0
    for group in 1...40 {
      try createPromises(400, in: subject, from: 1_000 * group)
      try subject.fold(limit: 10_000)
      subject.state.dropSomeFolded()
      longest = max(longest, subject.state.promises.count)
    }
    // A walk begins with 1,000 events and takes at most as long as the overlay grows by as many again.
    #expect(longest < 4_000)
    #expect(subject.state.drop.through > .start)
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
