#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The encoding of the values of one type as bytes.
///
/// The ledger stores the type tag with the bytes, and the tag is checked before they are decoded. So a value
/// is never read as another type that happens to fit.
public struct PayloadCodec<Value: Sendable>: Sendable {
  /// The name of the type and its encoding: 1 to 128 bytes of UTF-8. Never change it.
  public let typeTag: String

  /// Former names of the type, with encodings that can still be read. New values are stored under one only for a
  /// promise that was created with it, or that takes over the value of such a promise.
  public let formerTypeTags: [String]

  /// Encodes a value.
  public let encode: @Sendable (Value) throws -> [UInt8]

  /// Decodes a value that was encoded under the current tag or a former one.
  public let decode: @Sendable ([UInt8]) throws -> Value

  /// Whether the bytes are JSON.
  private(set) var isJSON = false

  /// Makes a codec from its parts.
  public init(
    typeTag: String,
    formerTypeTags: [String] = [],
    encode: @escaping @Sendable (Value) throws -> [UInt8],
    decode: @escaping @Sendable ([UInt8]) throws -> Value
  ) {
    self.typeTag = typeTag
    self.formerTypeTags = formerTypeTags
    self.encode = encode
    self.decode = decode
  }
}

extension PayloadCodec {
  /// Whether the codec reads values with a type tag.
  func reads(_ typeTag: String) -> Bool {
    typeTag == self.typeTag || formerTypeTags.contains(typeTag)
  }
}

/// A type that specifies its name in ledgers, so that you can rename it in Swift.
///
/// A type that did not do so from the start was stored under its Swift name. If you rename it, list that name
/// as a former one:
///
/// ```swift
/// extension Answer: PayloadTagged {  // was called Stanza
///   static var payloadTypeTag: String { "answer" }
///   static var formerPayloadTypeTags: [String] { ["Stanza"] }
/// }
/// ```
public protocol PayloadTagged {
  /// The name of the type in ledgers: 1 to 128 bytes of UTF-8. Never change it.
  static var payloadTypeTag: String { get }

  /// Former names of the type in ledgers; values that were stored under them can still be read.
  static var formerPayloadTypeTags: [String] { get }
}

extension PayloadTagged {
  /// No former names.
  public static var formerPayloadTypeTags: [String] { [] }
}

extension PayloadCodec where Value: Codable {
  /// A codec for JSON with sorted keys, which people can read in the tool.
  ///
  /// - Parameter typeTag: The name of the type in ledgers. By default, a ``PayloadTagged`` type specifies its
  ///   own name, standard types have short names (`string`, `int`, `[string:int]`), and any other type has
  ///   its Swift name without the module.
  public static func json(typeTag: String? = nil) -> PayloadCodec {
    json(
      typeTag, encode: encodeJSON,
      decode: { bytes in try JSONDecoder().decode(Value.self, from: Data(bytes)) })
  }
}

extension PayloadCodec {
  /// A codec that writes and reads the JSON of simple values without the encoder; the bytes are the same.
  fileprivate static func json(
    _ typeTag: String?, encode: @escaping @Sendable (Value) throws -> [UInt8],
    decode: @escaping @Sendable ([UInt8]) throws -> Value
  ) -> PayloadCodec {
    let typeTags = typeTag.map { [$0] } ?? payloadTypeTags(of: Value.self)
    var codec = PayloadCodec(
      typeTag: typeTags[0],
      formerTypeTags: Array(typeTags.dropFirst()),
      encode: { value in try encodeFast(value) ?? encode(value) },
      decode: { bytes in try decodeFast(bytes, as: Value.self) ?? decode(bytes) })
    codec.isJSON = true
    return codec
  }
}

@Sendable
func encodeJSON(_ value: some Encodable) throws -> [UInt8] {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  return try Array(encoder.encode(value))
}

extension PayloadCodec<Void> {
  /// A codec for `Void`, which encodes to no bytes.
  public static var void: PayloadCodec {
    PayloadCodec(
      typeTag: "void", encode: { _ in [] },
      decode: { bytes in
        guard bytes.isEmpty else {
          throw LedgerError(.decodingFailed, "A stored value of the type void is not empty.")
        }
      })
  }
}

extension PayloadCodec<[UInt8]> {
  /// A codec that stores bytes as they are.
  public static var bytes: PayloadCodec {
    PayloadCodec(typeTag: "bytes", encode: { $0 }, decode: { $0 })
  }
}

extension PayloadCodec {
  /// The standard codec for a type: `Void`, `[UInt8]`, or anything `Codable`.
  ///
  /// - Throws: ``LedgerError/Code/invalidArgument`` for any other type.
  public static func standard() throws(LedgerError) -> PayloadCodec {
    // The types are compared first: most casts would fail, and each takes longer than everything else here.
    if Value.self == Void.self, let codec = PayloadCodec<Void>.void as? PayloadCodec {
      return codec
    }
    if Value.self == [UInt8].self, let codec = PayloadCodec<[UInt8]>.bytes as? PayloadCodec {
      return codec
    }
    guard Value.self is any Codable.Type else {
      throw LedgerError(
        .invalidArgument,
        "\(Value.self) is not Codable. Make it Codable, give a codec for it, or register one in LedgerConfiguration.codecs."
      )
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
  return payloadTypeTags(of: type)[0]
}

/// The default name of a type in ledgers, followed by its former names.
func payloadTypeTags(of type: Any.Type) -> [String] {
  if let tagged = type as? any PayloadTagged.Type {
    return [tagged.payloadTypeTag] + tagged.formerPayloadTypeTags
  }
  if let name = standardTypeTag(of: type) { return [name] }
  if let container = type as? any TaggedContainer.Type { return container.containerTypeTags }
  return [String(describing: type)]
}

/// The short name of a standard type.
private func standardTypeTag(of type: Any.Type) -> String? {
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
  default: return nil
  }
}

private protocol TaggedContainer {
  /// The name of the type, composed of the names of its contents, followed by its former names.
  static var containerTypeTags: [String] { get }
}

extension Optional: TaggedContainer {
  fileprivate static var containerTypeTags: [String] {
    payloadTypeTags(of: Wrapped.self).map { $0 + "?" }
  }
}

extension Array: TaggedContainer {
  fileprivate static var containerTypeTags: [String] {
    payloadTypeTags(of: Element.self).map { "[\($0)]" }
  }
}

extension Dictionary: TaggedContainer {
  fileprivate static var containerTypeTags: [String] {
    let values = payloadTypeTags(of: Value.self)
    return payloadTypeTags(of: Key.self).flatMap { key in values.map { "[\(key):\($0)]" } }
  }
}

// MARK: - Fast paths

/// The JSON of simple values, with the same bytes as from the encoder.
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

/// Whether JSON writes a byte without escaping it.
private func isPlain(_ byte: UInt8) -> Bool {
  byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
}
