import CLedgerSystem

#if canImport(CryptoKit)
  import CryptoKit
#endif

/// Makes a SHA-256 of bytes as they lie, without joining them first.
///
/// It can be copied: both copies then continue from the same bytes.
package struct SHA256Hasher {
  #if canImport(CryptoKit)
    private var hash = SHA256()
  #else
    private var hash = cledger_sha256()
  #endif

  /// Whether the hash is computed by the processor's own instructions, as far as is known.
  package static var isHardwareAccelerated: Bool {
    #if canImport(CryptoKit)
      true
    #else
      cledger_sha256_is_hardware()
    #endif
  }

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

  /// Hashes the bytes of words, the lowest one of each first.
  package mutating func update(_ words: SIMD2<UInt64>) {
    unsafe withUnsafeBytes(of: words.littleEndian) { unsafe update($0) }
  }

  /// Hashes the bytes of words, the lowest one of each first.
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

/// The step of SHA-256 that takes all the time, in both forms that there are of it.
package enum SHA256Blocks {
  /// Adds whole blocks of 64 bytes to a state of 8 words, by the processor's instructions if it has
  /// them.
  package static func add(_ blocks: Span<UInt8>, to state: inout [UInt32]) {
    precondition(state.count == 8 && blocks.count.isMultiple(of: 64), "not whole blocks")
    unsafe blocks.withUnsafeBufferPointer { blocks in
      unsafe cledger_sha256_add_blocks(&state, blocks.baseAddress, blocks.count / 64)
    }
  }

  /// Does the same in plain C: what runs where the instructions are missing.
  package static func addPortably(_ blocks: Span<UInt8>, to state: inout [UInt32]) {
    precondition(state.count == 8 && blocks.count.isMultiple(of: 64), "not whole blocks")
    unsafe blocks.withUnsafeBufferPointer { blocks in
      unsafe cledger_sha256_add_blocks_portable(&state, blocks.baseAddress, blocks.count / 64)
    }
  }
}

extension SIMD where Scalar == UInt64 {
  /// The words as they lie in a file.
  fileprivate var littleEndian: Self {
    var words = self
    for index in indices { words[index] = self[index].littleEndian }
    return words
  }
}
