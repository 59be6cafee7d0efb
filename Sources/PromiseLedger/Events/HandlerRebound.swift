import LedgerSystem

/// How new arguments were bound to a handler.
public enum BindingMode: UInt8, Sendable, Hashable, CaseIterable {
  /// They took the place of all bound before.
  case replaced = 0
  /// They were added to those bound before.
  case merged = 1
}

/// The payload of the event that a handler's bound arguments changed.
public struct HandlerRebound: EventPayload, Hashable {
  /// The kind of event that carries this payload.
  public static let kind = EventKind.handlerRebound
  /// The schema version that this build writes.
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

  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let attachment = Flags(rawValue: 1)
  }

  /// Decodes a payload.
  public init(decoding payload: [UInt8]) throws(LedgerError) {
    self = try Self.parse(payload) { reader throws(PayloadDamage) in
      let flags = Flags(rawValue: try reader.integer())
      let number: UInt8 = try reader.integer()
      guard let mode = BindingMode(rawValue: number) else {
        throw PayloadDamage(what: "mode \(number)")
      }
      try reader.skip(6)
      return Self(
        mode: mode, references: try HandlerReferences(reading: &reader),
        arguments: flags.contains(.attachment)
          ? nil : try StoredArguments(parsing: reader.rest()))
    }
  }

  /// The encoded payload.
  public var encoded: [UInt8] {
    let flags: Flags = arguments == nil ? .attachment : []
    var bytes: [UInt8] = [flags.rawValue, mode.rawValue, 0, 0, 0, 0, 0, 0]
    references.append(to: &bytes)
    if let arguments { bytes.append(contentsOf: arguments.encoded) }
    return bytes
  }
}

extension HandlerRebound: AttachablePayload {
  var attachable: [UInt8]? { arguments?.encoded }

  func detachingContent() -> HandlerRebound {
    HandlerRebound(mode: mode, references: references, arguments: nil)
  }
}
