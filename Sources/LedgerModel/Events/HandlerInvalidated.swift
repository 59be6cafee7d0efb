/// The payload of the event that a handler was withdrawn for ever.
public struct HandlerInvalidated: EventPayload, Hashable {
  public static let kind = EventKind.handlerInvalidated
  public static let version: UInt16 = 1

  /// The run of the invalidation code, of which this is the first attempt if code runs.
  public let call: CallID
  /// Whether the handler has invalidation code, which runs now.
  public let runsCode: Bool
  /// Why.
  public let reason: String
  /// The promises and handlers in the arguments.
  public let references: HandlerReferences
  /// The arguments for the invalidation code, or `nil` if they are large and stored beside the
  /// event.
  public let arguments: StoredArguments?

  package init(
    call: CallID, runsCode: Bool, reason: String, references: HandlerReferences = .none,
    arguments: StoredArguments? = StoredArguments.none
  ) {
    self.call = call
    self.runsCode = runsCode
    self.reason = reason
    self.references = references
    self.arguments = arguments
  }

  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let attachment = Flags(rawValue: 1)
    static let code = Flags(rawValue: 2)
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    self = try Self.parse(payload) { reader throws(PayloadDamage) in
      let flags = Flags(rawValue: try reader.integer())
      try reader.skip(7)
      return Self(
        call: try reader.identifier(), runsCode: flags.contains(.code),
        reason: try reader.text(), references: try HandlerReferences(reading: &reader),
        arguments: flags.contains(.attachment)
          ? nil : try StoredArguments(parsing: reader.rest()))
    }
  }

  public var encoded: [UInt8] {
    var flags: Flags = []
    if arguments == nil { flags.insert(.attachment) }
    if runsCode { flags.insert(.code) }
    var bytes: [UInt8] = [flags.rawValue, 0, 0, 0, 0, 0, 0, 0]
    call.entityID.append(to: &bytes)
    bytes.appendText(reason)
    references.append(to: &bytes)
    if let arguments { bytes.append(contentsOf: arguments.encoded) }
    return bytes
  }
}

extension HandlerInvalidated: AttachablePayload {
  package var attachable: [UInt8]? { arguments?.encoded }

  package func detachingContent() -> HandlerInvalidated {
    HandlerInvalidated(
      call: call, runsCode: runsCode, reason: reason, references: references, arguments: nil)
  }
}
