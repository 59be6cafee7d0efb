import LedgerBytes

extension EntityID {
  /// Loads 16 bytes that start at `offset`.
  @inline(__always)
  package init(loadedFrom bytes: borrowing Span<UInt8>, at offset: Int) {
    self.init(
      high: UInt64(bigEndian: UInt64(littleEndian: bytes.loadLittleEndian(at: offset))),
      low: UInt64(bigEndian: UInt64(littleEndian: bytes.loadLittleEndian(at: offset + 8)))
    )
  }

  /// Appends the 16 bytes.
  package func append(to bytes: inout [UInt8]) {
    bytes.appendLittleEndian(words)
  }

  /// The 16 bytes as two words, the lowest byte of each first.
  package var words: SIMD2<UInt64> { SIMD2(high.byteSwapped, low.byteSwapped) }
}
