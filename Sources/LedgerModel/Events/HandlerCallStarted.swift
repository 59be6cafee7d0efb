import LedgerBytes

/// The payload of the event that records the start of a run of a handler, or of another attempt of its
/// invalidation code.
public struct HandlerCallStarted: EventPayload, Hashable {
  public static let kind = EventKind.handlerCallStarted

  /// The call.
  public let call: CallID
  /// The number of the attempt, from 1.
  public let attempt: UInt32
  /// The promises and handlers in the arguments.
  public let references: HandlerReferences
  /// The arguments of the call, or `nil` if they are large and stored beside the event.
  ///
  /// Later attempts carry none: the arguments of the first attempt still apply.
  public package(set) var arguments: StoredArguments?
}

extension HandlerCallStarted: ArgumentsPayload {
  public init(decoding payload: [UInt8]) throws(LedgerError) {
    self = try Self.parse(payload) { reader throws(PayloadDamage) in
      let flags: UInt8 = try reader.integer()
      try reader.skip(3)
      let attempt = try reader.attempt()
      let call: CallID = try reader.identifier()
      let (references, arguments) = try reader.arguments(flags: flags)
      return Self(call: call, attempt: attempt, references: references, arguments: arguments)
    }
  }

  public var encoded: [UInt8] {
    var bytes: [UInt8] = [attachmentFlag, 0, 0, 0]
    bytes.appendLittleEndian(attempt)
    call.entityID.append(to: &bytes)
    appendArguments(to: &bytes)
    return bytes
  }
}

extension PayloadReader {
  /// Reads the number of an attempt, which counts from 1 and can always be incremented.
  mutating func attempt() throws(PayloadDamage) -> UInt32 {
    let attempt: UInt32 = try integer()
    guard attempt > 0, attempt < .max else {
      throw PayloadDamage(what: "the attempt \(attempt) is out of range")
    }
    return attempt
  }
}
