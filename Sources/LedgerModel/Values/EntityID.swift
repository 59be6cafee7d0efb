/// The 16-byte id of an entity: a ledger, a session, a promise or a handler.
///
/// The id is displayed as a lower-case UUID (RFC 9562).
public struct EntityID: Sendable, Hashable, Comparable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Parses the text of a UUID: 32 hexadecimal digits in five groups, in either case.
  ///
  /// - Returns: `nil` if the text is not a UUID.
  public init?(_ text: some StringProtocol) {
    let hyphens: Set = [8, 13, 18, 23]
    let characters = Array(text.utf8)
    guard characters.count == 36 else { return nil }
    var digits: [UInt64] = []
    for (index, character) in characters.enumerated() {
      if hyphens.contains(index) {
        guard character == UInt8(ascii: "-") else { return nil }
      } else {
        guard let digit = Character(UnicodeScalar(character)).hexDigitValue else { return nil }
        digits.append(UInt64(digit))
      }
    }
    high = digits[..<16].reduce(0) { $0 << 4 | $1 }
    low = digits[16...].reduce(0) { $0 << 4 | $1 }
  }

  /// Hashes half of the id, which has at least 62 random bits in both kinds of ids.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(low)
  }

  /// Orders ids by their bytes: random ids are ordered by their time of creation.
  public static func < (left: EntityID, right: EntityID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  /// The 16 bytes in the order in which a UUID displays them.
  public var bytes: [UInt8] {
    [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
  }
}

extension EntityID: CustomStringConvertible {
  /// The id as a lower-case UUID.
  public var description: String {
    var text: [UInt8] = []
    text.reserveCapacity(36)
    for index in 0..<16 {
      if index == 4 || index == 6 || index == 8 || index == 10 { text.append(UInt8(ascii: "-")) }
      let word = index < 8 ? high : low
      let byte = UInt8(truncatingIfNeeded: word >> (56 - 8 * (index & 7)))
      text.append((byte >> 4).hexadecimalDigit)
      text.append((byte & 0xF).hexadecimalDigit)
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension EntityID: Codable {
  /// Decodes the text of a UUID.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = EntityID(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a UUID: \(text)")
    }
    self = id
  }

  /// Encodes the text of a UUID.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
