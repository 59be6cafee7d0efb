import LedgerArchiveRules
import LedgerModel
import LedgerModelTestSupport
import LedgerRuntimeTesting
import LedgerTestSupport
import Testing

@testable import LedgerRuntime

/// Archives of the corpus and of random ledgers, and random changes of them, given to the rules.
/// `Tools/fuzz-model archives` searches for others.
@Suite(.timeLimit(.minutes(30)))
struct ArchiveFuzzTests {
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

  @Test func theRulesHoldForTheCorpusAndChangesOfIt() throws {
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    print("changes of archives with seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let inputs =
      try FuzzCorpus.inputs(of: "archives") + (1...3).flatMap { try Self.archives(seed: $0) }
    for (number, input) in inputs.enumerated() {
      #expect(throws: Never.self, "input \(number)") { try ArchiveRules.check(input) }
    }
    // One takes a hundred times as long as a frame.
    for number in 0..<TestAmount.of(200) {
      let input = FuzzChanges.changed(inputs, &generator)
      #expect(throws: Never.self, "change \(number) with seed \(seed)") {
        try ArchiveRules.check(input)
      }
    }
  }

  @Test(.enabled(if: FuzzCorpus.newFolder != nil)) func seedsAreWritten() throws {
    try FuzzCorpus.write((1...20).flatMap { try Self.archives(seed: $0) }, of: "archives")
  }
}
