import Synchronization

/// Codecs for types that need their own, which you pass to a ledger in ``LedgerConfiguration/codecs``.
///
/// ```swift
/// configuration.codecs.register(PayloadCodec(typeTag: "bundle", encode: encode, decode: decode))
/// ```
public struct PayloadCodecs: Sendable {
  private var codecs: [ObjectIdentifier: any Sendable] = [:]

  /// Makes an empty collection.
  public init() {}

  /// Registers a codec for promises of its type, wherever you do not specify one, replacing an earlier codec.
  ///
  /// A promise of a type that is not `Codable` can then be an argument of a handler, and is decoded with this
  /// codec.
  public mutating func register<Value: Sendable>(_ codec: PayloadCodec<Value>) {
    codecs[ObjectIdentifier(Value.self)] = codec
  }

  /// - Throws: ``LedgerError/Code/invalidArgument`` if the collection has none and the type needs one.
  func codec<Value: Sendable>(for type: Value.Type) throws(LedgerError) -> PayloadCodec<Value> {
    if let codec = codecs[ObjectIdentifier(type)] as? PayloadCodec<Value> { return codec }
    return try StandardCodecs.codec(for: type)
  }
}

/// The standard codecs by type, each made once: finding out how a type is encoded takes a large part of the time in
/// which a promise of it is created.
private enum StandardCodecs {
  private final class Entry<Value: Sendable>: Sendable {
    let codec: PayloadCodec<Value>

    init(_ codec: PayloadCodec<Value>) { self.codec = codec }
  }

  private static let entries = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

  static func codec<Value: Sendable>(
    for type: Value.Type
  ) throws(LedgerError) -> PayloadCodec<Value> {
    let id = ObjectIdentifier(type)
    if let entry = entries.withLock({ $0[id] }) as? Entry<Value> { return entry.codec }
    let codec = try PayloadCodec<Value>.standard()
    entries.withLock { $0[id] = Entry(codec) }
    return codec
  }
}
