import LedgerBytes
import LedgerSystem

/// A search for chunks of attachments whose keys are lost: the value is intact, but the node that led to it is
/// not.
///
/// A chunk holds the length of its attachment but not its key, which only its checksum tells. A checksum of
/// key and content is the sum of a part that depends on the key alone and one that depends on the content
/// alone. So each candidate is compared with all wanted keys at once.
struct ChunkSearch {
  /// The part of the checksum that depends on the key, and the length of the chunk.
  private struct Signature: Hashable {
    let byteCount: Int
    let checksum: UInt32
  }

  private static let windowByteCount = 1 << 20

  private var wanted: [Signature: ChunkName] = [:]
  /// The lengths that a chunk may have, by the length of its attachment.
  private var lengths: [UInt32: Set<Int>] = [:]

  var isEmpty: Bool { wanted.isEmpty }

  /// Adds a chunk to look for.
  mutating func add(_ name: ChunkName, ofAttachment byteCount: Int) {
    let start = name.number * Chunk.contentByteCount
    let contentCount = min(Chunk.contentByteCount, byteCount - start)
    guard contentCount > 0, let length = UInt32(exactly: byteCount) else { return }
    let count = Chunk.headerByteCount + contentCount
    let key = CRC32C.checksum(Chunk.key(name.position, name.number).span)
    wanted[Signature(byteCount: count, checksum: Self.shifted(key, by: count - 4))] = name
    lengths[length, default: []].insert(count)
  }

  /// Looks through the whole file.
  ///
  /// - Parameter tick: Called for each window; an error ends the search.
  /// - Throws: `SystemError` if the size of the file cannot be read; any error of `tick`.
  func run(
    _ file: RandomAccessFile, _ tick: () throws -> Void
  ) throws -> [ChunkName: FilePlace] {
    var found: [ChunkName: FilePlace] = [:]
    let byteCount = try file.byteCount
    for start in stride(from: 0, to: byteCount, by: Self.windowByteCount) {
      try tick()
      let bytes = SectorReading.bytes(
        Self.windowByteCount + PageValue.byteCount, at: UInt64(start), file.read(_:at:))
      let window = bytes.span
      var offset = 0
      while offset < Self.windowByteCount, offset + Chunk.headerByteCount < bytes.count {
        defer { offset += 2 }
        let length: UInt32 = window.loadLittleEndian(at: offset + 4)
        guard let counts = lengths[length] else { continue }
        for count in counts where offset + count <= bytes.count {
          let chunk = window.extracting(offset..<offset + count)
          let own: UInt32 =
            chunk.loadLittleEndian(at: 0) ^ CRC32C.checksum(chunk.extracting(4..<count))
          guard let name = wanted[Signature(byteCount: count, checksum: own)] else { continue }
          found[name] = FilePlace(offset: UInt64(start + offset), byteCount: count)
        }
      }
    }
    return found
  }

  /// The change of a checksum by the checksum of what came before, after `count` further bytes.
  private static func shifted(_ checksum: UInt32, by count: Int) -> UInt32 {
    let zeros = [UInt8](repeating: 0, count: count)
    return CRC32C.checksum(zeros.span, continuing: checksum) ^ CRC32C.checksum(zeros.span)
  }
}
