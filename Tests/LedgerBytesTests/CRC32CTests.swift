import CLedgerBytes
import LedgerBytes
import LedgerTestSupport
import PromiseLedgerTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct CRC32CTests {
  struct Vector: Sendable {
    var bytes: [UInt8]
    var checksum: UInt32
  }

  /// RFC 3720, appendix B.4, and the check value of the catalogue of CRC algorithms.
  static let published = [
    Vector(bytes: [UInt8](repeating: 0, count: 32), checksum: 0x8A91_36AA),
    Vector(bytes: [UInt8](repeating: 0xFF, count: 32), checksum: 0x62A8_AB43),
    Vector(bytes: Array(0...31), checksum: 0x46DD_794E),
    Vector(bytes: (0...31).reversed(), checksum: 0x113F_DB5C),
    Vector(bytes: Array("123456789".utf8), checksum: 0xE306_9283),
    Vector(bytes: [], checksum: 0),
  ]

  @Test(arguments: published)
  func publishedVectorsAreReproduced(vector: Vector) {
    #expect(CRC32C.checksum(vector.bytes.span) == vector.checksum)
    #expect(CRC32C.portableChecksum(vector.bytes.span) == vector.checksum)
  }

  @Test func hardwareAgreesWithTablesAtEveryLengthAndAlignment() {
    let bytes = randomBytes(5008, seed: 1)
    for length in 0...5000 {
      let start = length % 8
      let span = bytes.span.extracting(start..<start + length)
      guard CRC32C.checksum(span) != CRC32C.portableChecksum(span) else { continue }
      Issue.record("length \(length), start \(start)")
      return
    }
  }

  @Test(arguments: 0..<16)
  func hardwareAgreesWithTablesAtEveryStart(start: Int) {
    let bytes = randomBytes(4200, seed: UInt64(start))
    for length in [1, 7, 8, 63, 191, 192, 193, 767, 768, 776, 1536, 4080] {
      let span = bytes.span.extracting(start..<start + length)
      #expect(CRC32C.checksum(span) == CRC32C.portableChecksum(span), "length \(length)")
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func partsInTurnGiveTheChecksumOfTheWhole(seed: UInt64) {
    let bytes = randomBytes(4080, seed: seed)
    var generator = SeededGenerator(seed: seed)
    let cut = Int.random(in: 0...bytes.count, using: &generator)
    let (first, second) = (bytes.span.extracting(..<cut), bytes.span.extracting(cut...))

    let whole = CRC32C.checksum(bytes.span)
    #expect(CRC32C.checksum(second, continuing: CRC32C.checksum(first)) == whole, "cut \(cut)")
    #expect(
      CRC32C.portableChecksum(second, continuing: CRC32C.portableChecksum(first)) == whole,
      "cut \(cut)")
  }

  @Test func keyCountsAsEightLittleEndianBytesBeforeTheContent() {
    let content = randomBytes(300, seed: 9)
    let prefixed = [8, 7, 6, 5, 4, 3, 2, 1] + content
    #expect(
      CRC32C.checksum(key: 0x0102_0304_0506_0708, content.span)
        == CRC32C.checksum(prefixed.span))
  }

  #if arch(x86_64) && os(Linux)
    @Test func thisMachineHasTheInstructions() {
      #expect(cledger_crc32c_is_hardware())
    }
  #endif

  private func randomBytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }
}

extension CRC32C {
  /// The same number as `checksum`, by tables alone, as computed where the instructions are
  /// missing.
  fileprivate static func portableChecksum(
    _ bytes: Span<UInt8>, continuing: UInt32 = 0
  ) -> UInt32 {
    unsafe bytes.withUnsafeBufferPointer {
      unsafe cledger_crc32c_portable(continuing, $0.baseAddress, $0.count)
    }
  }
}
