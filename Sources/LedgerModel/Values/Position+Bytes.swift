import LedgerBytes

extension Position {
  /// The key of a frame or an attachment.
  package var bigEndianBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendLittleEndian(rawValue.byteSwapped)
    return bytes
  }

  /// Reads the key of a frame.
  ///
  /// - Precondition: There are at most 8 bytes.
  package init(bigEndianBytes bytes: [UInt8]) {
    self.init(rawValue: bytes.reduce(0) { $0 << 8 | UInt64($1) })
  }
}
