import CLedgerBytes

#if canImport(CryptoKit)
  import CryptoKit
#endif

/// Computes a SHA-256 hash incrementally, without joining the bytes first.
///
/// A copy continues independently from the same bytes.
package struct SHA256Hasher {
  #if canImport(CryptoKit)
    private var hash = SHA256()
  #else
    private var hash = cledger_sha256()
  #endif

  package init() {
    #if !canImport(CryptoKit)
      unsafe cledger_sha256_init(&hash)
    #endif
  }

  private mutating func update(_ bytes: UnsafeRawBufferPointer) {
    #if canImport(CryptoKit)
      unsafe hash.update(bufferPointer: bytes)
    #else
      unsafe cledger_sha256_update(&hash, bytes.baseAddress, bytes.count)
    #endif
  }

  package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe update($0) }
  }

  package mutating func update(_ byte: UInt8) {
    unsafe withUnsafeBytes(of: byte) { unsafe update($0) }
  }

  /// Hashes the bytes of the words, the lowest byte of each word first.
  package mutating func update(_ words: SIMD2<UInt64>) {
    unsafe withUnsafeBytes(of: words.littleEndian) { unsafe update($0) }
  }

  /// Hashes the bytes of the words, the lowest byte of each word first.
  package mutating func update(_ words: SIMD8<UInt64>) {
    unsafe withUnsafeBytes(of: words.littleEndian) { unsafe update($0) }
  }

  /// The hash of everything so far.
  package consuming func finish() -> SHA256Hash {
    var words = SIMD4<UInt64>.zero
    #if canImport(CryptoKit)
      let digest = hash.finalize()
      unsafe withUnsafeMutableBytes(of: &words) { result in
        unsafe digest.withUnsafeBytes { unsafe result.copyMemory(from: $0) }
      }
    #else
      unsafe withUnsafeMutableBytes(of: &words) { result in
        guard let start = result.baseAddress else { return }
        unsafe cledger_sha256_finish(&hash, start.assumingMemoryBound(to: UInt8.self))
      }
    #endif
    return SHA256Hash(words: words.littleEndian)
  }
}

extension SIMD where Scalar == UInt64 {
  /// The words in the byte order of a file.
  fileprivate var littleEndian: Self {
    var words = self
    for index in indices { words[index] = self[index].littleEndian }
    return words
  }
}
