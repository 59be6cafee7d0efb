/// The payload of the event that records the permanent invalidation of a handler.
public struct HandlerInvalidated: EventPayload, Hashable {
  public static let kind = EventKind.handlerInvalidated

  /// The run of the invalidation code; if there is code to run, this event is its first attempt.
  public let call: CallID
  /// Whether the handler has invalidation code, which runs now.
  public let runsCode: Bool
  /// The reason for the invalidation.
  public let reason: String
  /// The promises and handlers in the arguments.
  public let references: HandlerReferences
  /// The arguments for the invalidation code, or `nil` if they are large and stored beside the
  /// event.
  public package(set) var arguments: StoredArguments?
}

extension HandlerInvalidated: ArgumentsPayload {
  private static let codeFlag: UInt8 = 2

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    self = try Self.parse(payload) { reader throws(PayloadDamage) in
      let flags: UInt8 = try reader.integer()
      try reader.skip(7)
      let call: CallID = try reader.identifier()
      let reason = try reader.text()
      let (references, arguments) = try reader.arguments(flags: flags)
      return Self(
        call: call, runsCode: flags & Self.codeFlag != 0, reason: reason, references: references,
        arguments: arguments)
    }
  }

  public var encoded: [UInt8] {
    let flags = attachmentFlag | (runsCode ? Self.codeFlag : 0)
    var bytes: [UInt8] = [flags, 0, 0, 0, 0, 0, 0, 0]
    call.entityID.append(to: &bytes)
    bytes.appendText(reason)
    appendArguments(to: &bytes)
    return bytes
  }
}
