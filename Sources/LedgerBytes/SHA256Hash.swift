/// A SHA-256 hash (FIPS 180-4).
package struct SHA256Hash: Sendable, Hashable {
  package static let byteCount = 32
  package static let zeros = SHA256Hash(words: .zero)

  // The bytes are not stored as a vector: its 32-byte alignment exceeds that of an async function's frame,
  // and the compiler (Swift 6.3) then lets such a function write past the end of its frame.
  private let first: UInt64
  private let second: UInt64
  private let third: UInt64
  private let fourth: UInt64

  /// The bytes of the hash, eight per word, the first byte lowest.
  package var words: SIMD4<UInt64> { SIMD4(first, second, third, fourth) }

  /// - Parameter words: The bytes, eight per word, the first byte lowest.
  init(words: SIMD4<UInt64>) {
    first = words[0]
    second = words[1]
    third = words[2]
    fourth = words[3]
  }

  /// - Precondition: There are 32 bytes.
  package init(bytes: Span<UInt8>) {
    precondition(bytes.count == Self.byteCount, "not a SHA-256")
    self.init(
      words: SIMD4(
        bytes.loadLittleEndian(at: 0), bytes.loadLittleEndian(at: 8),
        bytes.loadLittleEndian(at: 16), bytes.loadLittleEndian(at: 24)))
  }

  /// The 32 bytes.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.byteCount)
    for word in [first, second, third, fourth] { bytes.appendLittleEndian(word) }
    return bytes
  }
}
