/// A payload that ends with something that can be stored beside the event if it is large.
package protocol AttachablePayload: EventPayload {
  /// What can be stored beside the event; `nil` if it is stored there.
  var attachable: [UInt8]? { get }

  /// Makes the payload say that the rest is stored beside the event.
  mutating func detachContent()
}

/// A payload that ends with arguments, and what they refer to.
package protocol ArgumentsPayload: AttachablePayload {
  var references: HandlerReferences { get }
  /// `nil` if they are stored beside the event.
  var arguments: StoredArguments? { get set }
}

extension ArgumentsPayload {
  package var attachable: [UInt8]? { arguments?.encoded }
  package mutating func detachContent() { arguments = nil }

  /// How flags say whether the arguments are stored beside the event.
  var attachmentFlag: UInt8 { arguments == nil ? 1 : 0 }

  func appendArguments(to bytes: inout [UInt8]) {
    references.append(to: &bytes)
    if let arguments { bytes.append(contentsOf: arguments.encoded) }
  }
}

extension PayloadReader {
  /// The arguments at the end of a payload with these flags.
  mutating func arguments(
    flags: UInt8
  ) throws(PayloadDamage) -> (references: HandlerReferences, arguments: StoredArguments?) {
    let references = try HandlerReferences(reading: &self)
    return (references, flags & 1 != 0 ? nil : try StoredArguments(parsing: rest()))
  }
}
