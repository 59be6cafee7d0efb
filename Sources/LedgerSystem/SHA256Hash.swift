import Crypto

/// A SHA-256 (FIPS 180-4).
package struct SHA256Hash: Sendable, Hashable {
  package static let byteCount = 32
  package static let zeros = SHA256Hash(words: .zero)

  /// Its bytes, eight in a word, the first one lowest.
  package let words: SIMD4<UInt64>

  private init(words: SIMD4<UInt64>) {
    self.words = words
  }

  /// - Precondition: There are 32 bytes.
  package init(bytes: Span<UInt8>) {
    precondition(bytes.count == Self.byteCount, "not a SHA-256")
    words = SIMD4(
      bytes.loadLittleEndian(at: 0), bytes.loadLittleEndian(at: 8),
      bytes.loadLittleEndian(at: 16), bytes.loadLittleEndian(at: 24))
  }

  fileprivate init(_ digest: SHA256Digest) {
    words = unsafe digest.withUnsafeBytes { bytes in
      var words = SIMD4<UInt64>.zero
      for index in words.indices {
        words[index] = UInt64(
          littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
      }
      return words
    }
  }

  /// The 32 bytes.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.byteCount)
    for index in words.indices { bytes.appendLittleEndian(words[index]) }
    return bytes
  }
}

/// Makes a SHA-256 of bytes as they lie, without joining them first.
package struct SHA256Hasher: ~Copyable {
  private var hash = SHA256()

  package init() {}

  package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
  }

  package mutating func update(_ byte: UInt8) {
    unsafe withUnsafeBytes(of: byte) { unsafe hash.update(bufferPointer: $0) }
  }

  /// Hashes the bytes of words, the lowest one of each first.
  package mutating func update(_ words: SIMD2<UInt64>) {
    unsafe withUnsafeBytes(of: words.littleEndian) { unsafe hash.update(bufferPointer: $0) }
  }

  /// Hashes the bytes of words, the lowest one of each first.
  package mutating func update(_ words: SIMD8<UInt64>) {
    unsafe withUnsafeBytes(of: words.littleEndian) { unsafe hash.update(bufferPointer: $0) }
  }

  /// The hash of everything so far.
  package consuming func finish() -> SHA256Hash { SHA256Hash(hash.finalize()) }
}

extension SIMD where Scalar == UInt64 {
  /// The words as they lie in a file.
  fileprivate var littleEndian: Self {
    var words = self
    for index in indices { words[index] = self[index].littleEndian }
    return words
  }
}
