/// A parameter of a statement, which is sent in PostgreSQL's binary format.
package enum Value: Sendable, Hashable {
  case bool(Bool)
  case int2(Int16)
  case int4(Int32)
  case int8(Int64)
  case bytes([UInt8])
  case text(String)
  /// The 16 bytes of a UUID.
  case uuid([UInt8])
  case int8Array([Int64])
  case bytesArray([[UInt8]])
  case uuidArray([[UInt8]])
}

extension Value {
  /// The number by which PostgreSQL's catalog `pg_type` knows the type; these never change.
  var typeNumber: UInt32 {
    switch self {
    case .bool: 16
    case .bytes: 17
    case .int8: 20
    case .int2: 21
    case .int4: 23
    case .text: 25
    case .bytesArray: 1_001
    case .int8Array: 1_016
    case .uuid: 2_950
    case .uuidArray: 2_951
    }
  }

  /// The bytes of the value.
  var encoded: [UInt8] {
    switch self {
    case .bool(let value): [value ? 1 : 0]
    case .int2(let value): Self.bigEndian(value)
    case .int4(let value): Self.bigEndian(value)
    case .int8(let value): Self.bigEndian(value)
    case .bytes(let bytes), .uuid(let bytes): bytes
    case .text(let text): Array(text.utf8)
    case .int8Array(let values): Self.array(of: 20, values.map(Self.bigEndian))
    case .bytesArray(let values): Self.array(of: 17, values)
    case .uuidArray(let values): Self.array(of: 2_950, values)
    }
  }

  private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    stride(from: value.bitWidth - 8, through: 0, by: -8).map {
      UInt8(truncatingIfNeeded: value >> $0)
    }
  }

  /// An array of one dimension, as `array_recv` of the server reads it.
  private static func array(of elementType: UInt32, _ elements: [[UInt8]]) -> [UInt8] {
    let hasNulls: Int32 = 0
    var bytes = bigEndian(Int32(elements.isEmpty ? 0 : 1)) + bigEndian(hasNulls)
    bytes += bigEndian(elementType)
    guard !elements.isEmpty else { return bytes }
    let firstIndex: Int32 = 1
    bytes += bigEndian(Int32(elements.count)) + bigEndian(firstIndex)
    bytes.reserveCapacity(bytes.count + elements.reduce(0) { $0 + 4 + $1.count })
    for element in elements { bytes += bigEndian(Int32(element.count)) + element }
    return bytes
  }
}

/// An identifier in the text of a statement.
package enum Identifier {
  /// The longest identifier, in bytes; the server silently cuts a longer one.
  package static let maximumByteCount = 63

  /// Returns the name in quotes, so that no name is read as anything else; `nil` for a name that no table or
  /// schema can have.
  package static func quoted(_ name: String) -> String? {
    guard (1...maximumByteCount).contains(name.utf8.count), !name.utf8.contains(0) else {
      return nil
    }
    return "\""
      + name.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"") + "\""
  }
}
