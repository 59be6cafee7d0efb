#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension PayloadCodec {
  /// The codec of the values of ``Ledger/all(_:key:lifetime:label:tags:deadline:)`` for promises with this codec.
  ///
  /// You need it only to make a handle from the id of such a joint with ``Ledger/promise(id:of:codec:)``, and
  /// only if the promises do not have the standard codec of a `Codable` type.
  public var all: PayloadCodec<[Value]> {
    joint(hasOutcomes: false) { bytes in
      try JSONDecoder().decode([Data].self, from: Data(bytes)).map { try decode(Array($0)) }
    }
  }

  /// The codec of the values of ``Ledger/allSettled(_:key:lifetime:label:tags:deadline:)`` for promises with this
  /// codec; see ``all``.
  public var allSettled: PayloadCodec<[PromiseOutcome<Value>]> {
    joint(hasOutcomes: true) { bytes in
      let outcomes = try JSONDecoder().decode([PromiseOutcome<Data>].self, from: Data(bytes))
      return try outcomes.map { outcome in try outcome.map { try decode(Array($0)) } }
    }
  }

  /// - Parameter decodeEncoded: Decodes a JSON array with values in Base64.
  private func joint<Element: Sendable>(
    hasOutcomes: Bool, decodeEncoded: @escaping @Sendable ([UInt8]) throws -> [Element]
  ) -> PayloadCodec<[Element]> {
    let (tag, formerTags) = (
      JointTypeTag(ofValues: typeTag, isJSON: isJSON, hasOutcomes: hasOutcomes),
      formerTypeTags.map { JointTypeTag(ofValues: $0, isJSON: isJSON, hasOutcomes: hasOutcomes) }
    )
    let standard = isJSON ? try? PayloadCodec<[Element]>.standard() : nil
    return PayloadCodec<[Element]>(
      typeTag: tag.text, formerTypeTags: formerTags.map(\.text),
      encode: { value in
        guard let standard else { throw LedgerError.jointHasNoValueOfItsOwn }
        return try standard.encode(value)
      },
      decode: standard?.decode ?? decodeEncoded)
  }
}

extension LedgerError {
  fileprivate static let jointHasNoValueOfItsOwn = LedgerError(
    .encodingFailed, "The value of a joint is that of its inputs; it cannot be encoded.")
}
