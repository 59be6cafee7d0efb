import LedgerBytes

extension [UInt8] {
  /// Whether the key precedes another key in byte order, which is the order of every table.
  package func precedes(_ other: [UInt8]) -> Bool {
    let (left, right) = (span, other.span)
    let common = Swift.min(left.count, right.count)
    var offset = 0
    while offset + 8 <= common {
      let words = (
        left.loadLittleEndian(UInt64.self, at: offset),
        right.loadLittleEndian(UInt64.self, at: offset)
      )
      guard words.0 == words.1 else { return words.0.byteSwapped < words.1.byteSwapped }
      offset += 8
    }
    while offset < common {
      guard left[offset] == right[offset] else { return left[offset] < right[offset] }
      offset += 1
    }
    return left.count < right.count
  }
}
