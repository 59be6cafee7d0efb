/// Feeds arguments to the synthesised `init(from:)` of a handler or of its invalidation's
/// parameters, each compared with its type before it is decoded.
struct ArgumentDecoder: Decoder {
  let source: ArgumentSource
  let ledger: Ledger?
  let promises = DecodedPromises()
  /// Only looks whether what is there can be read: a missing argument may still come with a call.
  var isProbe = false

  var codingPath: [any CodingKey] { [] }

  var userInfo: [CodingUserInfoKey: Any] {
    guard let ledger else { return [:] }
    return [.promiseLedger: ledger]
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(ArgumentContainer(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw source.takenApart }
  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw source.takenApart
  }
}

/// The promises in arguments that were decoded, by the names of the arguments.
final class DecodedPromises {
  var byArgument: [String: Set<PromiseID>] = [:]
}

extension ArgumentSource {
  /// Makes a value of the arguments.
  ///
  /// - Returns: The value, and the promises that it got.
  /// - Throws: ``LedgerError`` with `argumentMissing`, `argumentMismatch`, `decodingFailed`.
  func decode<Value: Decodable>(
    _ type: Value.Type, attaching ledger: Ledger?
  ) throws(LedgerError) -> (Value, promises: [String: Set<PromiseID>]) {
    do {
      let decoder = ArgumentDecoder(source: self, ledger: ledger)
      let value = try Value(from: decoder)
      return (value, decoder.promises.byArgument)
    } catch let error as LedgerError {
      throw error
    } catch {
      throw refused(cause: error)
    }
  }

  /// What keeps the arguments from being decoded, or `nil` if nothing is known.
  ///
  /// - Parameter isComplete: Whether there will be no others.
  func problem(decoding type: any Decodable.Type, isComplete: Bool) -> LedgerError? {
    do {
      _ = try type.init(from: ArgumentDecoder(source: self, ledger: nil, isProbe: !isComplete))
      return nil
    } catch let error as LedgerError {
      return error.code == .argumentMissing && !isComplete ? nil : error
    } catch {
      // The type may refuse what a probe put in for a missing argument.
      return isComplete ? refused(cause: error) : nil
    }
  }
}

/// The arguments by their names.
private struct ArgumentContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ArgumentDecoder

  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { decoder.source.names.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { decoder.source[key.stringValue] != nil }
  func decodeNil(forKey key: Key) -> Bool { !contains(key) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    if let optional = type as? any DecodableOptionalArgument.Type {
      guard let value = try optional.decode(forKey: key, from: self) as? Value else {
        throw decoder.source.takenApart
      }
      return value
    }
    let source = decoder.source
    let name = key.stringValue
    let expected = ArgumentCoding.typeTag(of: type)
    guard let argument = source[name] else {
      if decoder.isProbe, let blank = (type as? any BlankArgument.Type)?.blank as? Value {
        return blank
      }
      throw source.missing(name, expected: expected)
    }
    guard argument.typeTag == expected || Self.isWider(expected, than: argument.typeTag) else {
      throw source.mismatch(name, expected: expected, actual: argument.typeTag)
    }
    do {
      let collector = ReferenceCollector()
      let value = try ArgumentCoding.decode(
        argument.payload, as: type, attaching: decoder.ledger, noting: collector)
      decoder.promises.byArgument[name, default: []].formUnion(collector.references.promises)
      return value
    } catch {
      throw source.undecodable(name, expected: expected, cause: error)
    }
  }

  private static func isWider(_ expected: String, than actual: String) -> Bool {
    guard let expected = IntegerWidth(typeTag: expected),
      let actual = IntegerWidth(typeTag: actual)
    else { return false }
    return actual.fits(into: expected)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    throw decoder.source.takenApart
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw decoder.source.takenApart
  }

  func superDecoder() throws -> any Decoder { throw decoder.source.takenApart }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw decoder.source.takenApart }
}

/// An optional whose value can be decoded; without the argument it is `nil`.
private protocol DecodableOptionalArgument {
  static func decode<Key: CodingKey>(
    forKey key: Key, from container: ArgumentContainer<Key>
  ) throws -> Self
}

extension Optional: DecodableOptionalArgument where Wrapped: Decodable {
  fileprivate static func decode<Key: CodingKey>(
    forKey key: Key, from container: ArgumentContainer<Key>
  ) throws -> Wrapped? {
    guard container.contains(key) else { return nil }
    return try container.decode(Wrapped.self, forKey: key)
  }
}
