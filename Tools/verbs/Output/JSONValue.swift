/// A JSON value with exactly one written form: on one line, with members sorted by name.
package enum JSONValue: Sendable {
  case string(String)
  case integer(Int64)
  case unsigned(UInt64)
  case bool(Bool)
  case strings([String])
  case array([JSONValue])
  case object([String: JSONValue])
}

extension JSONValue: CustomStringConvertible {
  /// The value as JSON.
  package var description: String { String(decoding: bytes(escapingTags: false), as: UTF8.self) }

  /// The value as JSON.
  ///
  /// - Parameter escapesTags: Whether `<` is escaped, so that no text can end or begin an element of a page.
  func bytes(escapingTags escapesTags: Bool) -> [UInt8] {
    var writer = JSONWriter(escapesTags: escapesTags)
    writer.write(self)
    return writer.bytes
  }
}

/// Gathers the bytes of a value as JSON.
private struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  let escapesTags: Bool

  init(escapesTags: Bool) { self.escapesTags = escapesTags }

  mutating func write(_ value: JSONValue) {
    switch value {
    case .string(let text): write(quoting: text)
    case .integer(let number): bytes += String(number).utf8
    case .unsigned(let number): bytes += String(number).utf8
    case .bool(let flag): bytes += String(flag).utf8
    case .array(let values): write(values, between: "[", "]") { $0.write($1) }
    case .strings(let texts): write(texts, between: "[", "]") { $0.write(quoting: $1) }
    case .object(let members):
      write(members.sorted { $0.key < $1.key }, between: "{", "}") { writer, member in
        writer.write(quoting: member.key)
        writer.bytes.append(UInt8(ascii: ":"))
        writer.write(member.value)
      }
    }
  }

  private mutating func write<Element>(
    _ elements: [Element], between start: Unicode.Scalar, _ end: Unicode.Scalar,
    _ body: (inout JSONWriter, Element) -> Void
  ) {
    bytes.append(UInt8(ascii: start))
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      body(&self, element)
    }
    bytes.append(UInt8(ascii: end))
  }

  private mutating func write(quoting text: String) {
    bytes.append(UInt8(ascii: "\""))
    if text.utf8.allSatisfy(isPlain) {
      bytes += text.utf8
    } else {
      for scalar in text.unicodeScalars { write(escaping: scalar) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether a byte is a character that stands for itself.
  private func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): false
    case UInt8(ascii: "<"): !escapesTags
    default: (0x20..<0x7F).contains(byte)
    }
  }

  private mutating func write(escaping scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": bytes += "\\\"".utf8
    case "\\": bytes += "\\\\".utf8
    case _ where scalar.isTreacherous || scalar == "<" && escapesTags:
      for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
        let digits = String(unit, radix: 16)
        bytes += "\\u".utf8
        bytes += repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count)
        bytes += digits.utf8
      }
    default: bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
    }
  }
}
