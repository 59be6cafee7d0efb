/// Splits a value into its members, and makes each an argument with its Swift type.
final class ArgumentEncoder: Encoder {
  var arguments = HandlerArguments()
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Members(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusedContainer(encoder: refused()) }
  func singleValueContainer() -> any SingleValueEncodingContainer {
    RefusedContainer(encoder: refused())
  }

  /// Notes that the value cannot be split into members.
  ///
  /// - Returns: An encoder that takes the rest of the value; its input is discarded.
  private func refused() -> ArgumentEncoder {
    arguments.add(failure: refusalOfStructure, for: "binding")
    return ArgumentEncoder()
  }

  /// The members of the value, each of which becomes an argument.
  private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ArgumentEncoder
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil(forKey key: Key) {}

    mutating func encode(_ value: some Encodable, forKey key: Key) {
      encoder.arguments.append(
        HandlerArguments.Entry(name: key.stringValue, content: .init(encoding: value)))
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
      keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
      encoder.refused().container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      encoder.unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { encoder.refused() }
    mutating func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
  }
}

/// A member without a type of its own has no type tag.
private let refusalOfStructure = LedgerError(
  .encodingFailed,
  "A handler or binding must encode its members one by one into a keyed container, as the synthesized encode(to:) does. Give nested members a type of their own."
)

private struct RefusedContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
  let encoder: ArgumentEncoder
  var codingPath: [any CodingKey] { [] }
  var count: Int { 0 }

  mutating func encodeNil() throws { throw refusalOfStructure }
  mutating func encode(_ value: some Encodable) throws { throw refusalOfStructure }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    encoder.container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  mutating func superEncoder() -> any Encoder { encoder }
}
