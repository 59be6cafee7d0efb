import LedgerModelTestSupport
import LedgerTestSupport
import Testing

@testable import LedgerModel
@testable import PromiseLedger

@Suite(.timeLimit(.minutes(10))) struct ChunkTests {
  struct StoredChunk: Equatable {
    let key: [UInt8]
    var bytes: [UInt8]
  }

  private static let boundary = 4_072
  private let position = Position(rawValue: 0x0102_0304_0506_0708)

  private func attachment(_ count: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(count))
    return generator.bytes(count)
  }

  private func cut(_ attachment: [UInt8]) -> [StoredChunk] {
    var chunks: [StoredChunk] = []
    Chunk.cut(attachment, of: position) { chunks.append(StoredChunk(key: $0, bytes: $1)) }
    return chunks
  }

  private func join(
    _ chunks: [StoredChunk?], byteCount: Int, of other: Position? = nil
  ) throws(LedgerError) -> [UInt8] {
    var content: [UInt8] = []
    for (number, chunk) in chunks.enumerated() {
      try Chunk.append(
        chunk?.bytes.span, of: other ?? position, number, attachment: byteCount, to: &content)
    }
    return content
  }

  private func isDetected(_ chunks: [StoredChunk?], byteCount: Int) -> Bool {
    do throws(LedgerError) {
      _ = try join(chunks, byteCount: byteCount)
      return false
    } catch {
      return error.code == .corrupt
    }
  }

  @Test(arguments: [
    (0, 0), (1, 1), (2, 1), (4_071, 1), (4_072, 1), (4_073, 2), (8_143, 2), (8_144, 2),
    (8_145, 3), (100_000, 25),
  ])
  func anAttachmentIsCutAndJoinedAgain(byteCount: Int, chunkCount: Int) throws {
    let attachment = attachment(byteCount)
    let chunks = cut(attachment)

    #expect(chunks.count == chunkCount)
    #expect(Chunk.count(ofAttachment: byteCount) == chunkCount)
    #expect(chunks.allSatisfy { $0.bytes.count <= 4_080 })
    #expect(try join(chunks, byteCount: byteCount) == attachment)
  }

  @Test func theKeysOfChunksAreTheirPositionAndNumberInBigEndian() {
    #expect(
      cut(attachment(8_145)).map(\.key) == [
        [1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0], [1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 1],
        [1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 2],
      ])
  }

  @Test func theKeysOfChunksAreInTheOrderOfTheirNumbers() {
    let keys = [0, 1, 255, 256, 65_536, 1 << 24].map { Chunk.key(position, $0) }

    for (key, next) in zip(keys, keys.dropFirst()) { #expect(key.lexicographicallyPrecedes(next)) }
  }

  @Test(arguments: [1, 100, boundary + 1])
  func everyFlippedBitOfAChunkIsDetected(byteCount: Int) {
    var chunks = cut(attachment(byteCount))
    let last = chunks.count - 1
    var undetected: [Int] = []
    for bit in 0..<(chunks[last].bytes.count * 8) {
      chunks[last].bytes[bit / 8] ^= 1 << (bit % 8)
      if !isDetected(chunks, byteCount: byteCount) { undetected.append(bit) }
      chunks[last].bytes[bit / 8] ^= 1 << (bit % 8)
    }
    #expect(undetected == [])
  }

  @Test func someFlippedBitsOfAFullChunkAreDetected() {
    let byteCount = 2 * Self.boundary
    var chunks = cut(attachment(byteCount))
    for bit in stride(from: 0, to: 4_080 * 8, by: 61) {
      chunks[0].bytes[bit / 8] ^= 1 << (bit % 8)
      #expect(isDetected(chunks, byteCount: byteCount), "bit \(bit)")
      chunks[0].bytes[bit / 8] ^= 1 << (bit % 8)
    }
  }

  @Test(arguments: 0..<3)
  func aMissingChunkIsDetected(number: Int) {
    var chunks: [StoredChunk?] = cut(attachment(8_145))
    chunks[number] = nil

    #expect(isDetected(chunks, byteCount: 8_145))
  }

  @Test(arguments: [[1, 0, 2], [0, 0, 2], [0, 2, 1], [2, 1, 0], [0, 1, 0]])
  func chunksInTheWrongOrderAreDetected(order: [Int]) {
    let chunks = cut(attachment(8_145))

    #expect(isDetected(order.map { chunks[$0] }, byteCount: 8_145))
  }

  @Test func aChunkOfAnotherEventIsDetected() {
    let chunks = cut(attachment(10))

    let error = #expect(throws: LedgerError.self) {
      try join(chunks, byteCount: 10, of: Position(rawValue: 1))
    }
    #expect(error?.code == .corrupt)
  }

  @Test(arguments: [0, 9, 11, boundary, boundary + 10])
  func anAttachmentOfAnotherLengthIsDetected(byteCount: Int) {
    #expect(isDetected(cut(attachment(10)), byteCount: byteCount))
  }

  @Test func aChunkTooManyIsDetected() {
    let chunks = cut(attachment(10))

    #expect(isDetected(chunks + chunks, byteCount: 10))
  }

  @Test(arguments: 0...8)
  func aChunkWithoutContentIsDetected(byteCount: Int) {
    var chunks = cut(attachment(10))
    chunks[0].bytes = Array(chunks[0].bytes[..<byteCount])

    #expect(isDetected(chunks, byteCount: 10))
  }
}
