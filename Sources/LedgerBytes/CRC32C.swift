import CLedgerBytes

/// CRC-32C (Castagnoli): the checksum of every frame, chunk and record.
///
/// The polynomial and the test vectors are those of RFC 3720. A checksum detects accidental damage, not
/// tampering.
package enum CRC32C {
  /// The checksum of `bytes`.
  ///
  /// - Parameter continuing: The checksum of the preceding bytes; 0 if there are none.
  /// - Complexity: O(n), about 0.06 ns per byte with hardware support, 1 ns without.
  package static func checksum(_ bytes: Span<UInt8>, continuing: UInt32 = 0) -> UInt32 {
    unsafe bytes.withUnsafeBufferPointer {
      unsafe cledger_crc32c(continuing, $0.baseAddress, $0.count)
    }
  }

  /// The checksum of the 8 little-endian bytes of `key`, followed by `bytes`.
  ///
  /// Binding a stored value to its key detects an intact value that is stored under the wrong key.
  package static func checksum(key: UInt64, _ bytes: Span<UInt8>) -> UInt32 {
    unsafe bytes.withUnsafeBufferPointer {
      unsafe cledger_crc32c_keyed(key, $0.baseAddress, $0.count)
    }
  }
}
