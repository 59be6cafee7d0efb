import Foundation
import LedgerFuzzTargets
import LedgerModel
import LedgerModelTestSupport
import LedgerRuntimeTesting
import LedgerTestSupport
import Testing

@testable import LedgerRuntime

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
    case .archives: return try archives(seed: seed)
    case .texts: return [Array(StoredError.sample.encoded), Array("\(events[0].subject)".utf8)]
    }
  }

  /// Archives of a small ledger: of all events, of a snapshot with the events that are left, and a recording.
  private static func archives(seed: UInt64) throws -> [[UInt8]] {
    let ledger = try CompactedStore(InMemoryEventStore(), seed: seed, groupCount: 6)
    let recording = ArchiveRecording(
      isRedacted: false,
      states: [ArchivedState(position: try ledger.store.head(), digest: try ledger.state.digest())])
    let whole = [
      try archive(of: ledger.store), try archive(of: ledger.store, recording),
    ]
    try ledger.fold()
    try ledger.removeRecords(.everything)
    try ledger.fold()
    for number in 501...503 { try ledger.commit(CreatePromise(.numbered(number))) }
    try ledger.deleteEvents()
    return whole + [try archive(of: ledger.store)]
  }

  private static func archive(
    of store: any EventStore, _ recording: ArchiveRecording? = nil
  ) throws -> [UInt8] {
    var writer = ArchiveWriter(
      of: LedgerID(entityID: .numbered(77)), createdAt: .at(1), try store.snapshotSummary(),
      through: try store.head(), recording: recording)
    var bytes: [UInt8] = []
    while let piece = try writer.next(from: store) { bytes += piece }
    return bytes
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
    // An archive takes a hundred times as long as a frame.
    for number in 0..<TestAmount.of(target == .archives ? 200 : 2_000) {
      let input = FuzzChanges.changed(inputs, &generator)
      #expect(throws: Never.self, "change \(number) with seed \(seed)") { try target.run(input) }
    }
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
