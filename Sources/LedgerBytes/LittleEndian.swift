extension Span where Element == UInt8 {
  /// Loads the little-endian integer at `offset`, which need not be aligned.
  ///
  /// - Precondition: The integer lies inside the span. Callers check lengths that come from a file before
  ///   they load.
  @inlinable
  @inline(__always)
  package func loadLittleEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
    _ type: Integer.Type = Integer.self, at offset: Int
  ) -> Integer {
    precondition(offset >= 0 && offset <= count - MemoryLayout<Integer>.size)
    return unsafe withUnsafeBytes { bytes in
      Integer(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: Integer.self))
    }
  }
}

extension [UInt8] {
  /// Appends the little-endian bytes of an integer.
  @inlinable
  package mutating func appendLittleEndian(_ value: some FixedWidthInteger & BitwiseCopyable) {
    unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
  }

  /// Appends the little-endian bytes of two integers, the first one first.
  @inlinable
  package mutating func appendLittleEndian(_ words: SIMD2<UInt64>) {
    let stored = SIMD2(words.x.littleEndian, words.y.littleEndian)
    unsafe Swift.withUnsafeBytes(of: stored) { unsafe append(contentsOf: $0) }
  }

  /// Overwrites the bytes at `offset` with the little-endian bytes of an integer.
  ///
  /// - Precondition: The integer lies inside the array.
  @inlinable
  package mutating func storeLittleEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
    _ value: Integer, at offset: Int
  ) {
    precondition(offset >= 0 && offset <= count - MemoryLayout<Integer>.size)
    unsafe withUnsafeMutableBytes {
      unsafe $0.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Integer.self)
    }
  }
}
