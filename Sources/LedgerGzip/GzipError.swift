/// The reason why bytes cannot be compressed or decompressed.
package enum GzipError: Error, Hashable, Sendable {
  /// The bytes are not what a compressor writes, or their checksum does not match.
  case damaged
  /// The file ends before its last bytes.
  case truncated
  /// Something follows the end of the compressed data.
  case trailingBytes
  case outOfMemory
  /// The zlib of the system is not one that this package was built for.
  case unusable
}
