import LedgerBytes

/// Replaces values and texts by others of the same size, so that a ledger can be shown to people who may not
/// know what it holds.
///
/// The same content always gets the same replacement, so equality can still be seen. A replacement is a
/// pseudo-random function (HMAC-SHA-256) of the content under the salt. Without the salt, a guess of the
/// content cannot be confirmed, except for its size.
package struct Redactor: Sendable {
  /// The size of a salt, in bytes.
  package static let saltByteCount = 32

  private static let blockByteCount = 64
  /// The smallest size of a text that tells things apart: 96 random bits.
  private static let identifierByteCount = 16
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private let innerKey: [UInt8]
  private let outerKey: [UInt8]

  /// - Parameter salt: Random bytes that are forgotten afterwards; at most 64.
  package init(salt: [UInt8]) {
    let padding = [UInt8](repeating: 0, count: max(0, Self.blockByteCount - salt.count))
    let key = salt.prefix(Self.blockByteCount) + padding
    innerKey = key.map { $0 ^ 0x36 }
    outerKey = key.map { $0 ^ 0x5C }
  }

  /// Makes a salt of a secret of any size, so that the same secret always gives the same replacements.
  ///
  /// - Parameter secret: Random bytes: anyone who knows or guesses them can confirm guesses of what was replaced.
  package init(secret: [UInt8]) {
    var hasher = SHA256Hasher()
    hasher.update(secret.span)
    self.init(salt: hasher.finish().bytes)
  }

  /// Bytes of the same number, all of them letters, digits, hyphens or underscores.
  package func bytes(_ content: [UInt8]) -> [UInt8] {
    characters(of: content, content.count)
  }

  private func characters(of content: [UInt8], _ count: Int) -> [UInt8] {
    stream(of: content, count).map { Self.alphabet[Int($0 & 63)] }
  }

  /// A text in the place of one that tells things apart, such as the key of a step: no two texts get the same
  /// one, so a short text gets longer.
  func identifier(_ text: String) -> String {
    let content = Array(text.utf8)
    let count = max(content.count, Self.identifierByteCount)
    return String(decoding: characters(of: content, count), as: UTF8.self)
  }

  /// A text with the same number of bytes.
  package func text(_ text: String) -> String {
    String(decoding: bytes(Array(text.utf8)), as: UTF8.self)
  }

  /// A replacement of a digest, which could otherwise confirm a guess of what it was computed from.
  package func digest(_ digest: [UInt8]) -> [UInt8] { stream(of: digest, digest.count) }

  private func stream(of content: [UInt8], _ count: Int) -> [UInt8] {
    guard !content.isEmpty else { return [] }
    let seed = code(content)
    var stream = seed
    var counter: UInt64 = 0
    while stream.count < count {
      counter += 1
      var block = seed
      block.appendLittleEndian(counter)
      stream += code(block)
    }
    return Array(stream.prefix(count))
  }

  private func code(_ message: [UInt8]) -> [UInt8] {
    var inner = SHA256Hasher()
    inner.update(innerKey.span)
    inner.update(message.span)
    let hash = inner.finish().bytes
    var outer = SHA256Hasher()
    outer.update(outerKey.span)
    outer.update(hash.span)
    return outer.finish().bytes
  }
}
