#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How the value of one argument becomes bytes and a value again: as ``PayloadCodec`` has it, with
/// promises and handlers noted on the way in and attached to the ledger on the way out.
enum ArgumentCoding {
  /// An encoded value and what stands in it.
  struct Encoded: Sendable {
    let typeTag: String
    let payload: [UInt8]
    let references: ReferenceCollector.References
  }

  /// Encodes a value; `nil` if it is an optional without one.
  static func encode(_ value: any Encodable) throws -> Encoded? {
    if let optional = value as? any OptionalArgument {
      guard let wrapped = optional.wrappedArgument else { return nil }
      guard let value = wrapped as? any Encodable else {
        throw LedgerError(.encodingFailed, "\(type(of: wrapped)) is not Encodable.")
      }
      return try encode(value)
    }
    // An empty array of anything can be cast to one of bytes, so the type is compared.
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

  /// Decodes a value whose type tag was compared.
  ///
  /// - Parameter collector: Where the promises in it are noted.
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

  /// The name of a type as an argument has it: bytes stand as they are, not as a list of numbers.
  static func typeTag(of type: Any.Type) -> String {
    type == [UInt8].self ? PayloadCodec<[UInt8]>.bytes.typeTag : payloadTypeTag(of: type)
  }

  /// The name of a type as an argument has it, and behind it the names that it had before.
  static func typeTags(of type: Any.Type) -> [String] {
    type == [UInt8].self ? [PayloadCodec<[UInt8]>.bytes.typeTag] : payloadTypeTags(of: type)
  }
}

/// An optional, whose absence is that of the argument.
protocol OptionalArgument {
  /// The value, if there is one.
  var wrappedArgument: Any? { get }
}

extension Optional: OptionalArgument {
  var wrappedArgument: Any? { self }
}
