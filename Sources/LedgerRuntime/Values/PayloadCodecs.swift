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
  package func codec<Value: Sendable>(
    for type: Value.Type
  ) throws(LedgerError) -> PayloadCodec<Value> {
    if let codec = codecs[ObjectIdentifier(type)] as? PayloadCodec<Value> { return codec }
    return try StandardCodecs.codec(for: type)
  }
}

/// The standard codecs by type, each made once: finding out how a type is encoded takes a large part of the time in
/// which a promise of it is created.
///
/// They form a list that only grows and needs no lock: a child of `fork`, which is refused later, would wait for ever
/// for one that another thread of its parent held.
private enum StandardCodecs {
  private final class Entry: Sendable {
    let type: ObjectIdentifier
    /// A codec for the type, in a box, because the type of an object is found out faster.
    let box: any AnyObject & Sendable
    let next = AtomicLazyReference<Entry>()

    init<Value>(_ codec: PayloadCodec<Value>) {
      type = ObjectIdentifier(Value.self)
      box = Box(codec)
    }
  }

  private final class Box<Value: Sendable>: Sendable {
    let codec: PayloadCodec<Value>

    init(_ codec: PayloadCodec<Value>) { self.codec = codec }
  }

  private static let first = AtomicLazyReference<Entry>()

  static func codec<Value: Sendable>(
    for type: Value.Type
  ) throws(LedgerError) -> PayloadCodec<Value> {
    let id = ObjectIdentifier(type)
    var last: Entry?
    var next = first.load()
    while let entry = next {
      if entry.type == id, let box = entry.box as? Box<Value> { return box.codec }
      (last, next) = (entry, entry.next.load())
    }
    let codec = try PayloadCodec<Value>.standard()
    append(Entry(codec), after: last)
    return codec
  }

  /// Appends an entry at the end, which is at another one or behind it. Two threads may add the same type at once; the
  /// first entry is the one that is found.
  private static func append(_ new: Entry, after entry: Entry?) {
    var last = if let entry { entry.next.storeIfNil(new) } else { first.storeIfNil(new) }
    while last !== new { last = last.next.storeIfNil(new) }
  }
}
