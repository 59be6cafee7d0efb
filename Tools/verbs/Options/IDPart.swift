import LedgerRuntime

/// A whole id, or the beginning or the end of one: the tables show the ends.
struct IDPart: Sendable {
  /// Fewer digits fit too many ids by chance.
  static let minimumDigitCount = 4
  private static let wholeDigitCount = 32

  private let high: UInt64
  private let low: UInt64
  private let count: Int

  /// `nil` unless the text has 4 to 32 hexadecimal digits; hyphens do not count.
  init?(_ text: String) {
    guard text.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || Self.digit($0) != nil }) else {
      return nil
    }
    let digits = text.utf8.compactMap(Self.digit)
    guard (Self.minimumDigitCount...Self.wholeDigitCount).contains(digits.count) else { return nil }
    var (high, low) = (0, 0) as (UInt64, UInt64)
    for digit in digits { (high, low) = (high << 4 | low >> 60, low << 4 | digit) }
    (self.high, self.low, count) = (high, low, digits.count)
  }

  private static func digit(_ byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  /// The id, if this is a whole one.
  var whole: EntityID? {
    count == Self.wholeDigitCount ? EntityID(high: high, low: low) : nil
  }

  /// Whether an id begins or ends with this.
  func matches(_ id: EntityID) -> Bool {
    if let whole { return id == whole }
    let bits = 4 * count
    let mask: (high: UInt64, low: UInt64) =
      bits >= 64 ? ((1 << (bits - 64)) - 1, .max) : (0, (1 << bits) - 1)
    if (id.high & mask.high, id.low & mask.low) == (high, low) { return true }
    // The first digits, moved to the end.
    let shift = UInt64(128 - bits)
    let beginning =
      shift >= 64
      ? (0, id.high >> (shift - 64))
      : (id.high >> shift, id.high << (64 - shift) | id.low >> shift)
    return beginning == (high, low)
  }
}
