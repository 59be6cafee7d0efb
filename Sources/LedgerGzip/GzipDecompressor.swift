internal import CLedgerZlib

/// Decompresses a file in the gzip format (RFC 1952), piece by piece, and checks its checksums.
///
/// A file may consist of several members, one after the other, as gunzip allows. Memory is bounded, however
/// much a file expands: pieces have at most 64 KiB, and each is made only when it is asked for.
package final class GzipDecompressor {
  private enum Place {
    case inMember, afterMember
  }

  private let stream: GzipStream
  private var input: ArraySlice<UInt8> = []
  private var place = Place.inMember

  /// - Throws: ``GzipError/outOfMemory`` and ``GzipError/unusable``.
  package init() throws(GzipError) {
    stream = try GzipStream(.decompression)
  }

  /// The next bytes of the content; empty at the end.
  ///
  /// - Parameter read: The next bytes of the file; empty at its end.
  /// - Throws: The errors of `read`, and what `wrap` makes of a ``GzipError``.
  package func next<Failure: Error>(
    _ read: () throws(Failure) -> [UInt8], _ wrap: (GzipError) -> Failure
  ) throws(Failure) -> [UInt8] {
    while true {
      do throws(GzipError) {
        if let output = try take() { return output }
      } catch {
        throw wrap(error)
      }
      let more = try read()
      if more.isEmpty {
        if let error = errorAtEnd { throw wrap(error) }
        return []
      }
      input += more
    }
  }

  /// The next bytes of the content that follow from the input so far; `nil` if there are none.
  private func take() throws(GzipError) -> [UInt8]? {
    while true {
      if place == .afterMember {
        guard let first = input.first else { return nil }
        // The first byte of every member. zlib checks the others.
        guard first == 0x1F else { throw .trailingBytes }
        try stream.restart()
        place = .inMember
      }
      // It may hold output although it took all input.
      let (status, output) = stream.step(&input)
      switch status {
      case Z_OK: break
      case Z_STREAM_END: place = .afterMember
      case Z_BUF_ERROR: return nil
      case Z_MEM_ERROR: throw .outOfMemory
      default: throw .damaged
      }
      if !output.isEmpty { return output }
    }
  }

  private var errorAtEnd: GzipError? { place == .inMember ? .truncated : nil }
}
