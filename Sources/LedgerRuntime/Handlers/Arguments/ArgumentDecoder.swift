/// Passes arguments to the synthesised `init(from:)` of a handler or of its invalidation's parameters. The
/// type of each argument is checked before it is decoded.
struct ArgumentDecoder: Decoder {
  let source: ArgumentSource
  let ledger: Ledger?
  let notes = DecodingNotes()
  /// Whether only existing arguments are checked, because a call may still supply the missing ones.
  var isProbe = false

  var codingPath: [any CodingKey] { [] }

  var userInfo: [CodingUserInfoKey: Any] {
    guard let ledger else { return [:] }
    return [.promiseLedger: ledger]
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    notes.nameTests.append { Key(stringValue: $0) != nil }
    return KeyedDecodingContainer(ArgumentContainer(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw source.takenApart }
  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw source.takenApart
  }
}

/// Observations made while arguments were decoded.
final class DecodingNotes {
  /// The decoded promises, by argument name.
  var promises: [String: Set<PromiseID>] = [:]
  /// The requested parameters, in the order of the requests.
  private(set) var names: [String] = []
  /// Functions that tell whether the keys of a container include a name.
  var nameTests: [(String) -> Bool] = []

  func ask(for name: String) {
    if !names.contains(name) { names.append(name) }
  }
}

extension ArgumentSource {
  /// Makes a value from the arguments.
  ///
  /// - Returns: The value, and the promises that it received, by argument.
  /// - Throws: ``LedgerError`` with `argumentMissing`, `argumentMismatch`, `decodingFailed`.
  func decode<Value: Decodable>(
    _ type: Value.Type, attaching ledger: Ledger
  ) throws(LedgerError) -> (Value, promises: [String: Set<PromiseID>]) {
    do {
      let decoder = ArgumentDecoder(source: self, ledger: ledger)
      let value = try Value(from: decoder)
      return (value, decoder.notes.promises)
    } catch let error as LedgerError {
      throw error
    } catch {
      throw refused(cause: error)
    }
  }

  /// Checks whether the arguments can be decoded.
  ///
  /// - Parameters:
  ///   - ledger: Provides the codecs; `nil` if there are no arguments.
  ///   - isComplete: Whether no further arguments will follow.
  func probe(
    _ type: any Decodable.Type, in ledger: Ledger?, isComplete: Bool
  ) -> ArgumentProbe {
    let decoder = ArgumentDecoder(source: self, ledger: ledger, isProbe: !isComplete)
    do {
      _ = try type.init(from: decoder)
      return ArgumentProbe(notes: decoder.notes, sawAll: true, problem: nil)
    } catch let error as LedgerError {
      let isProblem = isComplete || error.code != .argumentMissing
      return ArgumentProbe(
        notes: decoder.notes, sawAll: false, problem: isProblem ? error : nil)
    } catch {
      // The type may reject the value that a probe substitutes for a missing argument.
      return ArgumentProbe(
        notes: decoder.notes, sawAll: false, problem: isComplete ? refused(cause: error) : nil)
    }
  }
}

/// The arguments, by name.
private struct ArgumentContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ArgumentDecoder

  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { decoder.source.names.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool {
    decoder.notes.ask(for: key.stringValue)
    return decoder.source[key.stringValue] != nil
  }

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
    decoder.notes.ask(for: name)
    let expected = ArgumentCoding.typeTags(of: type)
    guard let argument = source[name] else {
      if decoder.isProbe, let blank = blankArgument(of: type) { return blank }
      throw source.missing(name, expected: expected[0])
    }
    guard expected.contains(where: argument.mayStand) else {
      throw source.mismatch(name, expected: expected[0], actual: argument)
    }
    if source.typedOnly.contains(name) {
      if let blank = blankArgument(of: type) { return blank }
      throw source.missing(name, expected: expected[0])
    }
    do {
      let collector = ReferenceCollector()
      let value = try ArgumentCoding.decode(
        argument.payload, as: type, attaching: decoder.ledger, noting: collector)
      decoder.notes.promises[name, default: []].formUnion(collector.references.promises)
      return value
    } catch {
      throw source.undecodable(name, expected: expected[0], cause: error)
    }
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
