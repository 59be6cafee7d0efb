import Foundation
import LedgerModelTestSupport
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Single bits of event records and snapshot records that turn over on the disk.
@Suite(.timeLimit(.minutes(10)))
struct BitFlipTests {
  @Test func everyOneInEventsIsFound() throws {
    let ledger = try CraftedLedger.sample()
    try flip(in: try ledger.frames().map(\.bytes), of: ledger.path) { $0.logDigest != nil }
  }

  @Test func everyOneInASnapshotIsFound() async throws {
    let ledger = try await CompactedLedger([
      CompactionSample.everything, CompactionSample.events,
    ])
    let records = try ["entities", "parts", "blob"].flatMap { try ledger.entries(of: $0) }
    let summary = try BlockingInspector(at: ledger.path).store.snapshotSummary()
    try flip(in: records.map(\.value) + [summary.encoded], of: ledger.path) { _ in false }
  }

  /// Turns over a bit of one of the records, again and again.
  private func flip(
    in records: [[UInt8]], of ledger: String,
    isOverlooked: (VerificationSummary) -> Bool
  ) throws {
    let path = ledger + "/generation-000001/data.mdb"
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    let frames = records.map { bytes in (bytes, places: data.places(of: Data(bytes))) }
    #expect(frames.allSatisfy { !$0.places.isEmpty })
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    let inspector = try BlockingInspector(at: ledger)
    var generator = SeededGenerator(seed: 5)
    var missed: [String] = []
    for _ in 0..<TestAmount.of(2_000) {
      let frame = frames[Int.random(in: frames.indices, using: &generator)]
      let offset = Int.random(in: frame.0.indices, using: &generator)
      let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
      // Older copies of the page may lie in the file; all of them get the flip.
      let write = { (byte: UInt8) in
        for place in frame.places {
          try file.seek(toOffset: UInt64(place + offset))
          try file.write(contentsOf: [byte])
        }
      }
      try write(frame.0[offset] ^ bit)
      let summary = try inspector.verify { _ in }
      if summary.corruptCount + summary.unsupportedCount == 0 || isOverlooked(summary) {
        missed.append("byte \(offset) of the frame at \(frame.places), bit \(bit)")
      }
      try write(frame.0[offset])
    }
    #expect(missed == [])
    #expect(try inspector.verify { _ in }.corruptCount == 0)
  }
}

extension Data {
  fileprivate func places(of part: Data) -> [Int] {
    var places: [Int] = []
    var start = startIndex
    while let range = range(of: part, in: start..<endIndex) {
      places.append(range.lowerBound)
      start = range.upperBound
    }
    return places
  }
}
