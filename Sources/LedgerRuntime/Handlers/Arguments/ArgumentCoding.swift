#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Encodes and decodes the value of one argument as ``PayloadCodec`` does. It also collects promises and
/// handlers when encoding, and attaches them to the ledger when decoding.
enum ArgumentCoding {
  /// An encoded value, with the promises and handlers in it.
  struct Encoded: Sendable {
    let typeTag: String
    let payload: [UInt8]
    let references: ReferenceCollector.References
  }

  /// Encodes a value; `nil` if it is an optional without a value.
  static func encode(_ value: any Encodable) throws -> Encoded? {
    if let optional = value as? any OptionalArgument {
      guard let wrapped = optional.wrappedArgument else { return nil }
      guard let value = wrapped as? any Encodable else {
        throw LedgerError(.encodingFailed, "\(type(of: wrapped)) is not Encodable.")
      }
      return try encode(value)
    }
    // Any empty array can be cast to an array of bytes, so the types are compared.
    if type(of: value) == [UInt8].self, let bytes = value as? [UInt8] {
      let typeTag = PayloadCodec<[UInt8]>.bytes.typeTag
      return Encoded(typeTag: typeTag, payload: bytes, references: .init())
    }
    let collector = ReferenceCollector()
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.userInfo[.referenceCollector] = collector
    return Encoded(
      typeTag: typeTag(of: type(of: value)), payload: try Array(encoder.encode(value)),
      references: collector.references)
  }

  /// Decodes a value whose type tag has been checked.
  ///
  /// - Parameter collector: Collects the promises in the value.
  static func decode<Value: Decodable>(
    _ payload: [UInt8], as type: Value.Type, attaching ledger: Ledger?,
    noting collector: ReferenceCollector? = nil
  ) throws -> Value {
    if type == [UInt8].self, let bytes = payload as? Value { return bytes }
    let decoder = JSONDecoder()
    decoder.userInfo[.promiseLedger] = ledger
    decoder.userInfo[.referenceCollector] = collector
    return try decoder.decode(type, from: Data(payload))
  }

  /// The type tag of an argument. Bytes are stored as they are, not as a list of numbers.
  static func typeTag(of type: Any.Type) -> String {
    type == [UInt8].self ? PayloadCodec<[UInt8]>.bytes.typeTag : payloadTypeTag(of: type)
  }

  /// The type tag of an argument, followed by its former type tags.
  static func typeTags(of type: Any.Type) -> [String] {
    type == [UInt8].self ? [PayloadCodec<[UInt8]>.bytes.typeTag] : payloadTypeTags(of: type)
  }
}

/// An optional type: a missing value is a missing argument.
protocol OptionalArgument {
  /// The value, if there is one.
  var wrappedArgument: Any? { get }
}

extension Optional: OptionalArgument {
  var wrappedArgument: Any? { self }
}
