import LedgerBytes

/// Reads the fields of a payload in order and checks every length.
package struct PayloadReader {
  private let bytes: [UInt8]
  private var offset = 0

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package mutating func integer<Integer: FixedWidthInteger & BitwiseCopyable>(
    _ type: Integer.Type = Integer.self
  ) throws(PayloadDamage) -> Integer {
    let start = try take(MemoryLayout<Integer>.size)
    return bytes.span.loadLittleEndian(at: start)
  }

  mutating func position() throws(PayloadDamage) -> Position {
    Position(rawValue: try integer())
  }

  mutating func timestamp() throws(PayloadDamage) -> Timestamp {
    Timestamp(nanosecondsSinceEpoch: try integer())
  }

  /// Reads a value with a fixed set of numbers.
  ///
  /// - Parameter what: The name of the value, for the error.
  package mutating func choice<Value: RawRepresentable<UInt8>>(
    _ what: String
  ) throws(PayloadDamage) -> Value {
    let number: UInt8 = try integer()
    guard let value = Value(rawValue: number) else {
      throw PayloadDamage(what: "the \(what) \(number) is unknown")
    }
    return value
  }

  package mutating func skip(_ count: Int) throws(PayloadDamage) {
    _ = try take(count)
  }

  /// Reads text with a 2-byte length.
  package mutating func text() throws(PayloadDamage) -> String {
    try utf8(byteCount: Int(integer(UInt16.self)))
  }

  /// Reads a text that stands in keys of lists, where it must fit and ends at a zero byte.
  mutating func name(_ limit: TextLimit) throws(PayloadDamage) -> String {
    let text = try text()
    guard (limit.minimumByteCount...limit.maximumByteCount).contains(text.utf8.count),
      !text.utf8.contains(0)
    else { throw PayloadDamage(what: "the \(limit.name) is invalid") }
    return text
  }

  package mutating func utf8(byteCount: Int) throws(PayloadDamage) -> String {
    let start = try take(byteCount)
    let isASCII = bytes[start..<offset].allSatisfy { $0 < 0x80 }
    // Most texts are, and validating others takes many times as long.
    if isASCII { return String(decoding: bytes[start..<offset], as: UTF8.self) }
    guard let text = String(validating: bytes[start..<offset], as: UTF8.self) else {
      throw PayloadDamage(what: "the text at byte \(start) is not UTF-8")
    }
    return text
  }

  /// Reads an id of 16 bytes.
  package mutating func identifier<ID: LedgerIdentifier>(
    _ type: ID.Type = ID.self
  ) throws(PayloadDamage) -> ID {
    ID(entityID: try entityID())
  }

  /// Reads an id of 16 bytes that may name any entity.
  package mutating func entityID() throws(PayloadDamage) -> EntityID {
    let start = try take(16)
    return EntityID(loadedFrom: bytes.span, at: start)
  }

  package mutating func bytes(_ count: Int) throws(PayloadDamage) -> [UInt8] {
    let start = try take(count)
    return Array(bytes[start..<offset])
  }

  /// Reads all bytes up to the end.
  package mutating func rest() -> [UInt8] {
    defer { offset = bytes.count }
    return Array(bytes[offset...])
  }

  package var isAtEnd: Bool { offset == bytes.count }

  /// Checks that no bytes are left.
  package func finish() throws(PayloadDamage) {
    guard offset == bytes.count else {
      throw PayloadDamage(what: "it has \(bytes.count - offset) bytes too many")
    }
  }

  private mutating func take(_ count: Int) throws(PayloadDamage) -> Int {
    guard count <= bytes.count - offset else {
      throw PayloadDamage(what: "it ends at byte \(bytes.count), inside a field")
    }
    defer { offset += count }
    return offset
  }
}

/// The reason why a payload cannot be read.
package struct PayloadDamage: Error {
  package let what: String
}

extension [UInt8] {
  /// Appends text with a 2-byte length.
  ///
  /// - Precondition: The text was checked against its ``TextLimit``, so it is shorter than 64 KiB.
  package mutating func appendText(_ text: String) {
    let utf8 = text.utf8
    appendLittleEndian(UInt16(utf8.count))
    append(contentsOf: utf8)
  }
}
