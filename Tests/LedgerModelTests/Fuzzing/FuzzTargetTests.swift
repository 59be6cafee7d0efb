import LedgerFuzzTargets
import LedgerModel
import LedgerModelTestSupport
import LedgerTestSupport
import Testing

/// The targets of the fuzzer, given the corpus that it left and random changes of it. `Tools/fuzz-model` searches
/// for other inputs.
@Suite(.timeLimit(.minutes(30)))
struct FuzzTargetTests {
  /// The inputs of a target: those of the corpus, and those of random histories.
  private static func inputs(of target: FuzzTarget) throws -> [[UInt8]] {
    try FuzzCorpus.inputs(of: target.rawValue)
      + (1...3).flatMap { try histories(of: target, seed: $0) }
  }

  private static func histories(of target: FuzzTarget, seed: UInt64) throws -> [[UInt8]] {
    var random = RandomLedger(seed: seed)
    random.entityCount = 3
    for _ in 0..<20 { random.writeGroup() }
    let events = try random.ledger.frames.flatMap { frame throws(LedgerError) in
      try frame.events()
    }
    switch target {
    case .frames: return random.ledger.frames.map(\.bytes)
    case .payloads: return events.compactMap(FuzzInput.payload(of:))
    case .histories: return [0, 9, 31].map { FuzzInput.history(of: events, foldedAfter: $0) }
    case .records: return random.ledger.state.overlaid.map(FuzzInput.record(of:))
    case .texts: return [Array(StoredError.sample.encoded), Array("\(events[0].subject)".utf8)]
    }
  }

  @Test(arguments: FuzzTarget.allCases)
  func theRulesHoldForTheCorpusAndChangesOfIt(target: FuzzTarget) throws {
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    print("changes of \(target) with seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let inputs = try Self.inputs(of: target)
    for (number, input) in inputs.enumerated() {
      #expect(throws: Never.self, "input \(number)") { try target.run(input) }
    }
    for number in 0..<TestAmount.of(2_000) {
      let input = FuzzChanges.changed(inputs, &generator)
      #expect(throws: Never.self, "change \(number) with seed \(seed)") { try target.run(input) }
    }
  }

  @Test(.enabled(if: FuzzCorpus.newFolder != nil)) func seedsAreWritten() throws {
    for target in FuzzTarget.allCases {
      try FuzzCorpus.write(
        (1...20).flatMap { try Self.histories(of: target, seed: $0) }, of: target.rawValue)
    }
  }
}
