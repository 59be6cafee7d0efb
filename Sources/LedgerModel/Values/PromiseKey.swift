import LedgerBytes

/// A name that the caller chooses for a promise, so that the promise can be found again without its id.
///
/// The id of the promise is derived from the key, so two processes that use the same key share one promise,
/// even if they know nothing of each other.
public struct PromiseKey: Sendable, Hashable {
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
    try TextLimit.promiseKey.check(text)
    self.text = text
  }

  /// The id of the promise with this key: a version 8 UUID derived with SHA-256 (RFC 9562, 5.8).
  public var promiseID: PromiseID {
    PromiseID(entityID: EntityID(namespace: "promise", key: text))
  }
}

extension EntityID {
  /// Creates a version 8 UUID: the first 16 bytes of the SHA-256 hash of `namespace`, a zero byte, and `key`.
  package init(namespace: String, key: String) {
    var hasher = SHA256Hasher()
    hasher.update(Array("\(namespace)\0\(key)".utf8).span)
    let words = hasher.finish().words
    self.init(high: words[0].byteSwapped, low: words[1].byteSwapped, version: 8)
  }

  /// Sets the version and variant bits of a UUID.
  package init(high: UInt64, low: UInt64, version: UInt64) {
    self.init(
      high: high & ~0xF000 | version << 12,
      low: low & ~(0b11 << 62) | 0b10 << 62
    )
  }
}
