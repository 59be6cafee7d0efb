/// A name that the caller chooses for a handler, so that the handler can be found again without its
/// id.
///
/// It may be the id of a request whose answer the handler waits for, for example.
///
/// The id of the handler is derived from the key, so two processes that use the same key share one handler,
/// even if they know nothing of each other.
public struct HandlerKey: Sendable, Hashable {
  /// The maximum length of a key, in bytes of UTF-8.
  public static let maximumByteCount = 512

  /// The text of the key.
  public let text: String

  /// Validates the text and creates a key.
  ///
  /// - Parameter text: 1 to 512 bytes of UTF-8 without control characters (Unicode category Cc).
  /// - Throws: ``LedgerError/Code/invalidArgument`` if the text is empty, too long, or contains a control
  ///   character.
  public init(_ text: String) throws(LedgerError) {
    try TextLimit.handlerKey.check(text)
    self.text = text
  }

  /// The id of the handler with this key: a version 8 UUID derived with SHA-256 (RFC 9562, 5.8).
  public var handlerID: HandlerID {
    HandlerID(entityID: EntityID(namespace: "handler", key: text))
  }
}
