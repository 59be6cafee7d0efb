import LedgerBytes

/// A name that the caller chose for a promise, so that it can be found again without its id.
///
/// The id of the promise follows from the key, so two processes that use one key meet in one
/// promise, also when they never heard of each other.
public struct PromiseKey: Sendable, Hashable {
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
    try TextLimit.promiseKey.check(text)
    self.text = text
  }

  /// The id of the promise with this key: a UUID version 8 made from SHA-256 (RFC 9562, 5.8).
  public var promiseID: PromiseID {
    PromiseID(entityID: EntityID(namespace: "promise", key: text))
  }
}

extension EntityID {
  /// A version 8 UUID: the first 16 bytes of SHA-256 of `namespace`, a zero byte, and `key`.
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
