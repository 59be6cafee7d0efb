/// A name that the caller chose for a request, so that a repetition of the request is recognised.
///
/// A request may be repeated because its process died before it heard that it was done, or because a push
/// was delivered twice. Take what is the same in every repetition: the id of the push, of the message, of
/// the transfer.
///
/// ```swift
/// try await promise.fulfill(value, idempotencyKey: IdempotencyKey(push.id))
/// ```
///
/// Keys are compared within one promise only, and there the key of its creation with that of another
/// creation, and the key of its resolution with that of another resolution.
public struct IdempotencyKey: Sendable, Hashable {
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
    try TextLimit.idempotencyKey.check(text)
    self.text = text
  }
}
