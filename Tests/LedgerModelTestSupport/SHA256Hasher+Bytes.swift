package import LedgerBytes

extension SHA256Hasher {
  /// The SHA-256 of bytes that are all there.
  package static func hash(of bytes: [UInt8]) -> [UInt8] {
    var hasher = SHA256Hasher()
    hasher.update(bytes.span)
    return hasher.finish().bytes
  }
}
