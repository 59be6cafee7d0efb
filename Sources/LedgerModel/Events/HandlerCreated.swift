import LedgerBytes

/// The number of times that a handler may be called.
@nonexhaustive public enum HandlerRepetition: UInt8, Sendable, Hashable, CaseIterable {
  /// Once: the first call that ends, successfully or not, finishes the handler.
  case oneShot = 0
  /// Repeatedly, until the handler is invalidated.
  case repeating = 1
}

/// The payload of the event that records the creation of a handler.
public struct HandlerCreated: EventPayload, Hashable {
  public static let kind = EventKind.handlerCreated

  /// The stable name of the handler's kind.
  public let handlerKind: String
  /// The number of times that the handler may be called.
  public let repetition: HandlerRepetition
  /// The caller's name for the handler, from which the handler's id was derived.
  public let key: String?
  /// A human-readable text.
  public let label: String?
  /// The scopes of the handler; all handlers with a scope can be invalidated together.
  public let scopes: [String]
  /// The promises and handlers in the arguments.
  public let references: HandlerReferences
  /// The bound arguments, or `nil` if they are large and stored beside the event.
  public package(set) var arguments: StoredArguments?

  package init(
    handlerKind: String, repetition: HandlerRepetition = .oneShot, key: String? = nil,
    label: String? = nil, scopes: [String] = [], references: HandlerReferences = .none,
    arguments: StoredArguments?
  ) {
    self.handlerKind = handlerKind
    self.repetition = repetition
    self.key = key
    self.label = label
    self.scopes = scopes
    self.references = references
    self.arguments = arguments
  }
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
