import LedgerBytes

/// How often a handler may be called.
public enum HandlerRepetition: UInt8, Sendable, Hashable, CaseIterable {
  /// Once: its first call that ends, in whatever way, ends it.
  case oneShot = 0
  /// Again and again, until it is invalidated.
  case repeating = 1
}

/// The payload of the event that a handler came into being.
public struct HandlerCreated: EventPayload, Hashable {
  public static let kind = EventKind.handlerCreated

  /// The stable name of the handler's kind.
  public let handlerKind: String
  /// How often it may be called.
  public let repetition: HandlerRepetition
  /// The caller's name for the handler, from which its id was made.
  public let key: String?
  /// A text for people.
  public let label: String?
  /// Texts by which handlers are invalidated together.
  public let scopes: [String]
  /// The promises and handlers in the arguments.
  public let references: HandlerReferences
  /// The bound arguments, or `nil` if they are large and stored beside the event.
  public package(set) var arguments: StoredArguments?
}

extension HandlerCreated: ArgumentsPayload {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let key = Flags(rawValue: 2)
    static let label = Flags(rawValue: 4)
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    self = try Self.parse(payload) { reader throws(PayloadDamage) in
      let flags = Flags(rawValue: try reader.integer())
      let repetition: HandlerRepetition = try reader.choice("repetition")
      let scopeCount: UInt16 = try reader.integer()
      try reader.skip(4)
      let handlerKind = try reader.text()
      let key = flags.contains(.key) ? try reader.text() : nil
      let label = flags.contains(.label) ? try reader.text() : nil
      var scopes: [String] = []
      for _ in 0..<scopeCount { scopes.append(try reader.text()) }
      let (references, arguments) = try reader.arguments(flags: flags.rawValue)
      return Self(
        handlerKind: handlerKind, repetition: repetition, key: key, label: label, scopes: scopes,
        references: references, arguments: arguments)
    }
  }

  public var encoded: [UInt8] {
    var flags = Flags(rawValue: attachmentFlag)
    if key != nil { flags.insert(.key) }
    if label != nil { flags.insert(.label) }
    var bytes: [UInt8] = [flags.rawValue, repetition.rawValue]
    bytes.appendLittleEndian(UInt16(clamping: scopes.count))
    bytes.appendLittleEndian(UInt32(0))
    bytes.appendText(handlerKind)
    if let key { bytes.appendText(key) }
    if let label { bytes.appendText(label) }
    for scope in scopes { bytes.appendText(scope) }
    appendArguments(to: &bytes)
    return bytes
  }
}
