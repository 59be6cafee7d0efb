import LedgerSystem
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Archives of ledgers whose first events were deleted.
@Suite(.timeLimit(.minutes(10)))
struct CompactedArchiveTests {
  private static let policies: [[CompactionPolicy]] = [
    [CompactionSample.events], [CompactionSample.everything],
    [CompactionSample.events, CompactionSample.everything, .foldOnly],
  ]

  @Test(arguments: policies)
  func theCopyIsTheSame(policies: [CompactionPolicy]) async throws {
    let ledger = try await CompactedLedger(policies)
    try Self.copyAndCompare(ledger)
  }

  private static func copyAndCompare(_ ledger: CompactedLedger) throws {
    let original = try BlockingInspector(at: ledger.path)
    let archive = try original.archive()
    let file = try ArchiveFile(archive)
    let summary = try LedgerImport().makeLedger(at: file.target, from: file.path)
    #expect(summary.recordCount > 5 && summary.byteCount == archive.count)
    let copy = try BlockingInspector(at: file.target)
    #expect(try copy.archive() == archive)
    #expect(try copy.replay().digest() == original.replay().digest())
    #expect(try copy.replay().promises() == original.replay().promises())
    #expect(try copy.logDigest() == original.logDigest())
    let verified = try copy.verify { Issue.record("\($0)") }
    #expect(verified.recordCount == summary.recordCount)
    var summaries = [try original.store.snapshotSummary(), try copy.store.snapshotSummary()]
    #expect(summaries[1].readBackThrough == summaries[1].position)
    summaries[0].readBackThrough = summaries[1].readBackThrough
    // The newest may be one that was removed, which the copy does not have.
    #expect(summaries[1].newestTimedID <= summaries[0].newestTimedID)
    summaries[0].newestTimedID = summaries[1].newestTimedID
    #expect(summaries[0] == summaries[1])
    for table in ["entities", "parts", "open", "tombstones", "blob"] {
      let left = try ledger.entries(of: table)
      let right = try CompactedLedger.entries(of: table, at: file.target)
      #expect(
        left.map(\.key) == right.map(\.key) && left.map(\.value) == right.map(\.value), "\(table)")
    }
  }

  @Test func aLedgerWithAllEventsExportsNoSnapshot() async throws {
    let ledger = try await CompactedLedger([.foldOnly])
    try Self.copyAndCompareEvents(ledger)
  }

  private static func copyAndCompareEvents(_ ledger: CompactedLedger) throws {
    let file = try ArchiveFile(try BlockingInspector(at: ledger.path).archive())
    let summary = try LedgerImport().makeLedger(at: file.target, from: file.path)
    #expect(summary.recordCount == 0)
    let copy = try BlockingInspector(at: file.target).replay()
    #expect(try copy.digest() == BlockingInspector(at: ledger.path).replay().digest())
  }

  @Test func anOpenLedgerExportsTheSameAsAnInspector() async throws {
    let ledger = try await CompactedLedger([CompactionSample.events])
    let open = try await ledger.temporary.open(
      configuration: CompactionSample.configuration())
    var archive: [UInt8] = []
    try await open.export { archive += $0 }
    let inspected = try BlockingInspector(at: ledger.path).archive()
    #expect(archive == inspected)
    await open.close()
  }

  @Test func noCompactionRunsMeanwhile() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    _ = try await CompactionSample.fill(ledger, 8)
    var isFirst = true
    try await ledger.export { _ in
      guard isFirst else { return }
      isFirst = false
      let error = await #expect(throws: LedgerError.self) { try await ledger.compact() }
      #expect(error?.code == .compactionBusy)
    }
    try await ledger.compact()
    await ledger.close()
  }

  // MARK: Damage

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func aBitFlipIsFound(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    var bytes = try await Self.archive.value
    let place = Int.random(in: bytes.indices, using: &generator)
    bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    try Self.expectFailure(of: bytes)
  }

  @Test func missingRepeatedAndSwappedLinesAreFound() async throws {
    let lines = try await Self.archive.value.split(separator: UInt8(ascii: "\n"))
      .map { Array($0) + [10] }
    for index in lines.indices {
      var fewer = lines
      fewer.remove(at: index)
      try Self.expectFailure(of: Array(fewer.joined()))
      var more = lines
      more.insert(lines[index], at: index)
      try Self.expectFailure(of: Array(more.joined()))
      guard index > 0 else { continue }
      var swapped = lines
      swapped.swapAt(index, index - 1)
      try Self.expectFailure(of: Array(swapped.joined()))
    }
  }

  private static let archive = Task {
    let ledger = try await CompactedLedger([CompactionSample.everything])
    return try BlockingInspector(at: ledger.path).archive()
  }

  private static func expectFailure(of bytes: [UInt8]) throws {
    let file = try ArchiveFile(bytes)
    let error = #expect(throws: LedgerError.self) {
      try LedgerImport().makeLedger(at: file.target, from: file.path)
    }
    let codes: [LedgerError.Code] = [.corrupt, .incompatibleFormat, .invalidArgument]
    #expect(error.map { codes.contains($0.code) } == true)
    #expect(try file.neighbours() == [])
  }
}
