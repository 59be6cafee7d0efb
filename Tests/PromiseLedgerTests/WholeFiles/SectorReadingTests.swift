import Testing

@testable import PromiseLedger

/// Reading past sectors that a disk cannot read.
@Suite(.timeLimit(.minutes(1)))
struct SectorReadingTests {
  private struct Unreadable: Error {}

  private static let sector = SectorReading.sectorByteCount
  private static let file = (0..<10 * sector + 100).map {
    UInt8(truncatingIfNeeded: $0 / 7 + 1) | 1
  }

  /// Reads as from a disk with some bad sectors.
  private static func read(_ count: Int, _ offset: Int, bad: Set<Int>) -> [UInt8] {
    SectorReading.bytes(count, at: UInt64(offset)) { count, offset in
      let range = min(Int(offset), file.count)..<min(Int(offset) + count, file.count)
      guard !range.contains(where: { bad.contains($0 / sector) }) else { throw Unreadable() }
      return Array(file[range])
    }
  }

  @Test(arguments: [[], [0], [3], [4, 5], [10], [0, 2, 4, 6, 8, 10]] as [Set<Int>])
  func onlyBadSectorsAreZeros(bad: Set<Int>) {
    for offset in [0, 1, 100, Self.sector, 3 * Self.sector - 1, 9 * Self.sector + 5] {
      for count in [0, 1, 50, Self.sector, 5 * Self.sector + 3, 20 * Self.sector] {
        let end = min(offset + count, Self.file.count)
        let read = Self.read(count, offset, bad: bad)
        let expected = (offset..<end).map { bad.contains($0 / Self.sector) ? 0 : Self.file[$0] }
        // What is beyond the end of the file is zeros, too, if its last sector is bad.
        #expect(Array(read.prefix(expected.count)) == expected, "\(count) at \(offset)")
        #expect(read.dropFirst(expected.count).allSatisfy { $0 == 0 })
      }
    }
  }
}
