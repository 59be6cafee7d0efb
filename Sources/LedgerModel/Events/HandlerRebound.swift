/// How new arguments were bound to a handler.
public enum BindingMode: UInt8, Sendable, Hashable, CaseIterable {
  /// They took the place of all bound before.
  case replaced = 0
  /// They were added to those bound before.
  case merged = 1
}

/// The payload of the event that a handler's bound arguments changed.
public struct HandlerRebound: EventPayload, Hashable {
  public static let kind = EventKind.handlerRebound
  public static let version: UInt16 = 1

  /// How they were bound; informative, for the arguments are complete in either case.
  public let mode: BindingMode
  /// The promises and handlers in the arguments.
  public let references: HandlerReferences
  /// All arguments that are bound from now on, or `nil` if they are large and stored beside the
  /// event.
  public let arguments: StoredArguments?

  package init(
    mode: BindingMode, references: HandlerReferences = .none, arguments: StoredArguments?
  ) {
    self.mode = mode
    self.references = references
    self.arguments = arguments
  }

  private var tail: ArgumentsTail { ArgumentsTail(references: references, arguments: arguments) }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    self = try Self.parse(payload) { reader throws(PayloadDamage) in
      let flags: UInt8 = try reader.integer()
      let number: UInt8 = try reader.integer()
      guard let mode = BindingMode(rawValue: number) else {
        throw PayloadDamage(what: "mode \(number)")
      }
      try reader.skip(6)
      let tail = try ArgumentsTail(reading: &reader, flags: flags)
      return Self(mode: mode, references: tail.references, arguments: tail.arguments)
    }
  }

  public var encoded: [UInt8] {
    var bytes: [UInt8] = [tail.flags, mode.rawValue, 0, 0, 0, 0, 0, 0]
    tail.append(to: &bytes)
    return bytes
  }
}

extension HandlerRebound: AttachablePayload {
  package var attachable: [UInt8]? { arguments?.encoded }

  package func detachingContent() -> HandlerRebound {
    HandlerRebound(mode: mode, references: references, arguments: nil)
  }
}
