/// A name that the caller chose for a handler, so that it can be found again without its id: the
/// id of a request whose answer the handler waits for, for example.
///
/// The id of the handler follows from the key, so two processes that use one key meet in one
/// handler, also when they never heard of each other.
public struct HandlerKey: Sendable, Hashable {
  /// The longest key, in bytes of UTF-8.
  public static let maximumByteCount = 512

  /// The text of the key.
  public let text: String

  /// Checks and makes a key.
  ///
  /// - Parameter text: 1 to 512 bytes of UTF-8 without control characters (Unicode category Cc).
  /// - Throws: ``LedgerError/Code/invalidArgument`` if the text is empty, too long, or has a
  ///   control character.
  public init(_ text: String) throws(LedgerError) {
    try TextLimit.handlerKey.check(text)
    self.text = text
  }

  /// The id of the handler with this key: a UUID version 8 made from SHA-256 (RFC 9562, 5.8).
  public var handlerID: HandlerID {
    HandlerID(entityID: EntityID(namespace: "handler", key: text))
  }
}
