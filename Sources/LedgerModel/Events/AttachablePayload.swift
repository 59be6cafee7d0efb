/// A payload whose last part can be stored beside the event if it is large.
package protocol AttachablePayload: EventPayload {
  /// The part that can be stored beside the event; `nil` if it is stored there, or if there is none.
  var attachable: [UInt8]? { get }

  /// Whether a part is stored beside the event.
  var isDetached: Bool { get }

  /// Marks the last part as stored beside the event.
  mutating func detachContent()

  /// Checks that the last part can be decoded, but for a value in it.
  ///
  /// - Throws: ``LedgerError/Code/corrupt``.
  func check(_ content: [UInt8]) throws(LedgerError)
}

extension AttachablePayload {
  /// By default, a payload always has such a part.
  package var isDetached: Bool { attachable == nil }
}

/// A payload that ends with arguments and their references.
package protocol ArgumentsPayload: AttachablePayload {
  var references: HandlerReferences { get }
  /// `nil` if they are stored beside the event.
  var arguments: StoredArguments? { get set }
}

extension ArgumentsPayload {
  package var attachable: [UInt8]? { arguments?.encoded }
  package mutating func detachContent() { arguments = nil }

  package func check(_ content: [UInt8]) throws(LedgerError) {
    _ = try StoredArguments(decoding: content)
  }

  /// The flag that says whether the arguments are stored beside the event.
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
