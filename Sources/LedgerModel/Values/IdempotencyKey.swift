/// A name that the caller chooses for a request, so that repetitions of the request are recognised.
///
/// A request may be repeated because its process died before it received the acknowledgement, or because a
/// push was delivered twice. Choose a value that is the same in every repetition: the id of the push, of the
/// message, or of the transfer.
///
/// ```swift
/// try await promise.fulfill(value, idempotencyKey: IdempotencyKey(push.id))
/// ```
///
/// Keys are compared only within one promise: the key of its creation with that of another creation, and the
/// key of its resolution with that of another resolution.
public struct IdempotencyKey: Sendable, Hashable {
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
    try TextLimit.idempotencyKey.check(text)
    self.text = text
  }
}
