extension [UInt8] {
  /// The little-endian integer at an offset, which must lie inside with all its bytes.
  package func integer<T: FixedWidthInteger>(at offset: Int, as type: T.Type = T.self) -> T {
    var value: T = 0
    for index in 0..<(T.bitWidth / 8) {
      value |= T(truncatingIfNeeded: self[offset + index]) << (8 * index)
    }
    return value
  }

  /// Writes a little-endian integer over the bytes at an offset.
  package mutating func set<T: FixedWidthInteger>(_ value: T, at offset: Int) {
    for index in 0..<(T.bitWidth / 8) {
      self[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index))
    }
  }
}
