import Foundation
import LedgerFuzzTargets
import LedgerModel
import LedgerModelTestSupport
import LedgerTestSupport
import Testing

/// The targets of the fuzzer, given the corpus that it left and random changes of it. `Tools/fuzz-model` searches
/// for other inputs.
@Suite(.timeLimit(.minutes(30)))
struct FuzzTargetTests {
  private static let corpus = "Tests/FuzzCorpus"

  /// The inputs of a target: those of the corpus, and those of random histories.
  private static func inputs(of target: FuzzTarget) throws -> [[UInt8]] {
    let folder = "\(corpus)/\(target.rawValue)"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    let stored = try names.map { name in
      [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")))
    }
    return try stored + (1...3).flatMap { try histories(of: target, seed: $0) }
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
      let input = changed(inputs, &generator)
      #expect(throws: Never.self, "change \(number) with seed \(seed)") { try target.run(input) }
    }
  }

  /// An input with some changes: of bytes, of its length, or with a part of another input.
  private func changed(_ inputs: [[UInt8]], _ generator: inout SeededGenerator) -> [UInt8] {
    var input = inputs[Int.random(in: 0..<inputs.count, using: &generator)]
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let place = Int.random(in: 0...input.count, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0 where place < input.count:
        input[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1 where place < input.count:
        input[place] = [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &generator) ?? 0
      case 2: input.removeSubrange(place...)
      case 3: input.insert(.random(in: 0...255, using: &generator), at: place)
      default:
        let other = inputs[Int.random(in: 0..<inputs.count, using: &generator)]
        input.removeSubrange(place...)
        input += other.dropFirst(place)
      }
    }
    return input
  }

  /// Writes the inputs made of random histories to the folder of the environment variable FUZZ_SEEDS, from which
  /// the fuzzer can begin.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["FUZZ_SEEDS"] != nil))
  func seedsAreWritten() throws {
    let folder = try #require(ProcessInfo.processInfo.environment["FUZZ_SEEDS"])
    for target in FuzzTarget.allCases {
      let inputs = try (1...20).flatMap { try Self.histories(of: target, seed: $0) }
      let path = "\(folder)/\(target.rawValue)"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      for (number, input) in inputs.enumerated() {
        try Data(input).write(to: URL(fileURLWithPath: "\(path)/history-\(number)"))
      }
    }
  }
}
