/// The codecs of types that need one of their own, given to a ledger in
/// ``LedgerConfiguration/codecs``.
///
/// ```swift
/// configuration.codecs.register(PayloadCodec(typeTag: "bundle", encode: encode, decode: decode))
/// ```
public struct PayloadCodecs: Sendable {
  private var codecs: [ObjectIdentifier: any Sendable] = [:]

  /// Makes a collection without any codec.
  public init() {}

  /// Uses a codec for the values of promises of its type wherever none is named, in place of an earlier
  /// one.
  ///
  /// A promise of a type that is not `Codable` can then be an argument of a handler, and comes out with
  /// this codec.
  public mutating func register<Value: Sendable>(_ codec: PayloadCodec<Value>) {
    codecs[ObjectIdentifier(Value.self)] = codec
  }

  /// - Throws: ``LedgerError/Code/invalidArgument`` if there is none, and the type needs one.
  func codec<Value: Sendable>(for type: Value.Type) throws(LedgerError) -> PayloadCodec<Value> {
    if let codec = codecs[ObjectIdentifier(type)] as? PayloadCodec<Value> { return codec }
    return try .standard()
  }
}
