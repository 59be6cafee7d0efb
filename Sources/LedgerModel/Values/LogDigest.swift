import LedgerBytes

/// A SHA-256 hash over every event up to a position: equal for two ledgers with the same events.
///
/// It is a chain: the digest at a position is the hash of the previous digest and the event. It can therefore
/// be continued from any position, and it does not depend on how events are packed into frames. See the
/// article *File format*.
public struct LogDigest: Sendable, Hashable {
  /// The last event that it covers.
  public private(set) var position: Position
  private var hash: SHA256Hash

  /// The 32 bytes of the hash.
  public var bytes: [UInt8] { hash.bytes }

  /// The digest before the first event: zeros.
  public static let start = LogDigest(position: .start, hash: .zeros)

  private init(position: Position, hash: SHA256Hash) {
    self.position = position
    self.hash = hash
  }

  /// - Precondition: There are 32 bytes.
  package init(position: Position, bytes: [UInt8]) {
    self.init(position: position, hash: SHA256Hash(bytes: bytes.span))
  }

  /// Adds the next event.
  ///
  /// - Parameters:
  ///   - record: The event as stored in its frame.
  ///   - session: The session that wrote the event.
  ///   - commit: The number of the commit in that session.
  package mutating func append(
    _ record: Span<UInt8>, at position: Position, of session: SessionID, _ commit: UInt64,
    attachment: [UInt8]
  ) {
    var hasher = SHA256Hasher()
    let words = session.entityID.words
    let place = SIMD4(position.rawValue, words[0], words[1], commit)
    hasher.update(SIMD8(lowHalf: hash.words, highHalf: place))
    hasher.update(record)
    hasher.update(attachment.span)
    self.position = position
    hash = hasher.finish()
  }
}

extension LogDigest: CustomStringConvertible {
  /// The hash in hexadecimal digits.
  public var description: String { bytes.hexadecimal }
}
