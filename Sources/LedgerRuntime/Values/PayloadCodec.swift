#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How values of one type become bytes and values again.
///
/// The type tag stands in the ledger beside the bytes and is compared before they are decoded, so a
/// value is never read as another type that happens to fit.
public struct PayloadCodec<Value: Sendable>: Sendable {
  /// The name of the type and its encoding: 1 to 128 bytes of UTF-8, the same for ever.
  public let typeTag: String

  /// Encodes a value.
  public let encode: @Sendable (Value) throws -> [UInt8]

  /// Decodes a value that was encoded under the same tag.
  public let decode: @Sendable ([UInt8]) throws -> Value

  /// Makes a codec of its parts.
  public init(
    typeTag: String,
    encode: @escaping @Sendable (Value) throws -> [UInt8],
    decode: @escaping @Sendable ([UInt8]) throws -> Value
  ) {
    self.typeTag = typeTag
    self.encode = encode
    self.decode = decode
  }
}

/// A type that names itself in ledgers, so that it can be renamed in Swift.
public protocol PayloadTagged {
  /// The name of the type in ledgers: 1 to 128 bytes of UTF-8, the same for ever.
  static var payloadTypeTag: String { get }
}

extension PayloadCodec where Value: Codable {
  /// JSON with sorted keys: people can read it in the tool.
  ///
  /// - Parameter typeTag: The name of the type in ledgers. By default a ``PayloadTagged`` type names
  ///   itself, standard types have short names (`string`, `int`, `[string:int]`), and any other type
  ///   has its Swift name without module.
  public static func json(typeTag: String? = nil) -> PayloadCodec {
    json(
      typeTag, encode: encodeJSON,
      decode: { bytes in try JSONDecoder().decode(Value.self, from: Data(bytes)) })
  }
}

extension PayloadCodec {
  /// The JSON of simple values is written and read without the encoder; the bytes are the same.
  fileprivate static func json(
    _ typeTag: String?, encode: @escaping @Sendable (Value) throws -> [UInt8],
    decode: @escaping @Sendable ([UInt8]) throws -> Value
  ) -> PayloadCodec {
    PayloadCodec(
      typeTag: typeTag ?? payloadTypeTag(of: Value.self),
      encode: { value in try encodeFast(value) ?? encode(value) },
      decode: { bytes in try decodeFast(bytes, as: Value.self) ?? decode(bytes) })
  }
}

@Sendable
private func encodeJSON(_ value: some Encodable) throws -> [UInt8] {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  return try Array(encoder.encode(value))
}

extension PayloadCodec<Void> {
  /// No bytes at all.
  public static var void: PayloadCodec {
    PayloadCodec(
      typeTag: "void", encode: { _ in [] },
      decode: { bytes in
        guard bytes.isEmpty else {
          throw LedgerError(.decodingFailed, "A value of the type void has bytes.")
        }
      })
  }
}

extension PayloadCodec<[UInt8]> {
  /// The bytes as they are.
  public static var bytes: PayloadCodec {
    PayloadCodec(typeTag: "bytes", encode: { $0 }, decode: { $0 })
  }
}

extension PayloadCodec {
  /// The codec for a type that needs none to be named: `Void`, `[UInt8]`, and everything `Codable`.
  ///
  /// - Throws: ``LedgerError/Code/invalidArgument`` for any other type.
  public static func standard() throws(LedgerError) -> PayloadCodec {
    if let codec = PayloadCodec<Void>.void as? PayloadCodec { return codec }
    if let codec = PayloadCodec<[UInt8]>.bytes as? PayloadCodec { return codec }
    guard Value.self is any Codable.Type else {
      throw LedgerError(
        .invalidArgument, "\(Value.self) is not Codable. Make it so, or name a codec for it.")
    }
    return json(
      nil,
      encode: { value in
        guard let value = value as? any Encodable else {
          throw LedgerError(.encodingFailed, "\(Value.self) is not Encodable.")
        }
        return try encodeJSON(value)
      },
      decode: { bytes in
        guard let type = Value.self as? any Decodable.Type,
          let value = try JSONDecoder().decode(type, from: Data(bytes)) as? Value
        else {
          throw LedgerError(.decodingFailed, "The value is not a \(Value.self).")
        }
        return value
      })
  }
}

// MARK: - Type tags

/// The default name of a type in ledgers.
func payloadTypeTag(of type: Any.Type) -> String {
  if let tagged = type as? any PayloadTagged.Type { return tagged.payloadTypeTag }
  switch type {
  case is Bool.Type: return "bool"
  case is Int.Type, is Int64.Type: return "int"
  case is UInt.Type, is UInt64.Type: return "uint"
  case is Int8.Type, is Int16.Type, is Int32.Type, is UInt8.Type, is UInt16.Type, is UInt32.Type:
    return String(describing: type).lowercased()
  case is Double.Type: return "double"
  case is Float.Type: return "float"
  case is String.Type: return "string"
  case is Data.Type: return "data"
  case is Date.Type: return "date"
  case is UUID.Type: return "uuid"
  default: break
  }
  if let container = type as? any TaggedContainer.Type { return container.containerTypeTag }
  return String(describing: type)
}

private protocol TaggedContainer {
  static var containerTypeTag: String { get }
}

extension Optional: TaggedContainer {
  fileprivate static var containerTypeTag: String { payloadTypeTag(of: Wrapped.self) + "?" }
}

extension Array: TaggedContainer {
  fileprivate static var containerTypeTag: String { "[\(payloadTypeTag(of: Element.self))]" }
}

extension Dictionary: TaggedContainer {
  fileprivate static var containerTypeTag: String {
    "[\(payloadTypeTag(of: Key.self)):\(payloadTypeTag(of: Value.self))]"
  }
}

// MARK: - Fast paths

/// The JSON of simple values, the same bytes as the encoder's.
private func encodeFast(_ value: Any) -> [UInt8]? {
  switch value {
  case let value as Bool: Array((value ? "true" : "false").utf8)
  case let value as Int: Array(String(value).utf8)
  case let value as String where value.utf8.allSatisfy(isPlain):
    [UInt8(ascii: "\"")] + Array(value.utf8) + [UInt8(ascii: "\"")]
  default: nil
  }
}

private func decodeFast<Value>(_ bytes: [UInt8], as type: Value.Type) -> Value? {
  if type == String.self, bytes.count >= 2, bytes.first == UInt8(ascii: "\""),
    bytes.last == UInt8(ascii: "\""), bytes.dropFirst().dropLast().allSatisfy(isPlain)
  {
    return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self) as? Value
  }
  if type == Int.self, let text = String(validating: bytes, as: UTF8.self),
    bytes.first != UInt8(ascii: "+"), let number = Int(text), String(number) == text
  {
    return number as? Value
  }
  return nil
}

/// Whether JSON writes a byte as it is.
private func isPlain(_ byte: UInt8) -> Bool {
  byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
}
