/// Base64 with padding (RFC 4648, section 4), in its one canonical form.
enum Base64 {
  private static let alphabet = [UInt8](
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The value of each character, 0xFF for those that have none.
  private static let values = alphabet.enumerated().reduce(
    into: [UInt8](repeating: 0xFF, count: 256)
  ) { $0[Int($1.element)] = UInt8($1.offset) }

  private static let padding = UInt8(ascii: "=")

  /// Appends the text of some bytes.
  static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
    let alphabet = alphabet
    var index = 0
    while index < bytes.count {
      let rest = min(3, bytes.count - index)
      var word = UInt32(bytes[index]) << 16
      if rest > 1 { word |= UInt32(bytes[index + 1]) << 8 }
      if rest > 2 { word |= UInt32(bytes[index + 2]) }
      text.append(alphabet[Int(word >> 18)])
      text.append(alphabet[Int(word >> 12 & 0x3F)])
      text.append(rest > 1 ? alphabet[Int(word >> 6 & 0x3F)] : padding)
      text.append(rest > 2 ? alphabet[Int(word & 0x3F)] : padding)
      index += 3
    }
  }

  /// Reads a text; `nil` if it is not exactly what ``append(_:to:)`` writes.
  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count.isMultiple(of: 4) else { return nil }
    let paddingCount = text.suffix(2).filter { $0 == padding }.count
    guard paddingCount == 0 || text.last == padding else { return nil }
    let values = values
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var word: UInt32 = 0
    var count = 0
    for character in text.dropLast(paddingCount) {
      let value = values[Int(character)]
      guard value != 0xFF else { return nil }
      word = word << 6 | UInt32(value)
      count += 1
      guard count == 4 else { continue }
      bytes.append(UInt8(truncatingIfNeeded: word >> 16))
      bytes.append(UInt8(truncatingIfNeeded: word >> 8))
      bytes.append(UInt8(truncatingIfNeeded: word))
      (word, count) = (0, 0)
    }
    // The bits that the padding leaves over must be 0, or two texts would stand for one content.
    switch count {
    case 0: return bytes
    case 2 where word & 0xF == 0:
      bytes.append(UInt8(truncatingIfNeeded: word >> 4))
    case 3 where word & 0x3 == 0:
      bytes.append(UInt8(truncatingIfNeeded: word >> 10))
      bytes.append(UInt8(truncatingIfNeeded: word >> 2))
    default: return nil
    }
    return bytes
  }
}
