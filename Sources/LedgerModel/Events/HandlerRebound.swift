extension HandlerRebound {
  /// The way in which new arguments were bound to a handler.
  @nonexhaustive public enum Mode: UInt8, Sendable, Hashable, CaseIterable {
    /// The new arguments replaced all bound arguments.
    case replaced = 0
    /// The new arguments were merged into the bound arguments.
    case merged = 1
  }
}

/// The payload of the event that records a change of a handler's bound arguments.
public struct HandlerRebound: EventPayload, Hashable {
  public static let kind = EventKind.handlerRebound

  /// The way in which the arguments were bound; informative only, because the arguments are complete in
  /// either case.
  public let mode: Mode
  /// The promises and handlers in the arguments.
  public let references: HandlerReferences
  /// All arguments that are bound from now on, or `nil` if they are large and stored beside the event.
  public package(set) var arguments: StoredArguments?
}

extension HandlerRebound: ArgumentsPayload {
  public init(decoding payload: [UInt8]) throws(LedgerError) {
    self = try Self.parse(payload) { reader throws(PayloadDamage) in
      let flags: UInt8 = try reader.integer()
      let mode: Mode = try reader.choice("mode")
      try reader.skip(6)
      let (references, arguments) = try reader.arguments(flags: flags)
      return Self(mode: mode, references: references, arguments: arguments)
    }
  }

  public var encoded: [UInt8] {
    var bytes: [UInt8] = [attachmentFlag, mode.rawValue, 0, 0, 0, 0, 0, 0]
    appendArguments(to: &bytes)
    return bytes
  }
}
