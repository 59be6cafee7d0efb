internal import CLedgerZlib

/// Compresses bytes in the gzip format (RFC 1952), piece by piece.
///
/// The result holds neither a name nor a time, so with one version of zlib the same content always makes
/// the same bytes. Memory is bounded: zlib keeps about 256 KiB.
package final class GzipCompressor {
  private let stream: GzipStream

  /// - Throws: ``GzipError/outOfMemory`` and ``GzipError/unusable``.
  package init() throws(GzipError) {
    stream = try GzipStream(.compression)
    try stream.setPlainHeader()
  }

  /// Compresses the next bytes.
  ///
  /// - Returns: The output so far, which is often empty.
  package func compress(_ bytes: [UInt8]) throws(GzipError) -> [UInt8] {
    var input = bytes[...]
    var result: [UInt8] = []
    while !input.isEmpty {
      let (status, output) = stream.step(&input)
      guard status == Z_OK else { throw .unusable }
      result += output
    }
    return result
  }

  /// The last bytes of the file.
  package func finish() throws(GzipError) -> [UInt8] {
    var input: ArraySlice<UInt8> = []
    var result: [UInt8] = []
    while true {
      let (status, output) = stream.step(&input, isLast: true)
      result += output
      if status == Z_STREAM_END { return result }
      guard status == Z_OK || status == Z_BUF_ERROR && !output.isEmpty else { throw .unusable }
    }
  }
}
