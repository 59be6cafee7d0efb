internal import CLedgerZlib

/// The state of zlib for one stream, at a place that stays the same: zlib keeps pointers to it.
///
/// All calls of zlib are in this type, and no pointer leaves it.
@safe
final class GzipStream {
  enum Direction {
    case compression, decompression
  }

  private static let pieceByteCount = 1 << 16

  private let stream: UnsafeMutablePointer<z_stream>
  private let header: UnsafeMutablePointer<gz_header>
  private let direction: Direction

  /// Begins a stream.
  ///
  /// - Throws: ``GzipError/outOfMemory``, or ``GzipError/unusable`` for a zlib of another version.
  init(_ direction: Direction) throws(GzipError) {
    self.direction = direction
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    unsafe header = .allocate(capacity: 1)
    unsafe header.initialize(to: gz_header())
    let status =
      switch direction {
      case .compression: unsafe cledger_begin_gzip(stream, Z_DEFAULT_COMPRESSION)
      case .decompression: unsafe cledger_begin_gunzip(stream)
      }
    // From here on, a failure runs deinit, which may end a stream that did not begin.
    guard status == Z_OK else { throw status == Z_MEM_ERROR ? .outOfMemory : .unusable }
  }

  deinit {
    switch direction {
    case .compression: unsafe deflateEnd(stream)
    case .decompression: unsafe inflateEnd(stream)
    }
    unsafe stream.deallocate()
    unsafe header.deallocate()
  }

  /// Sets the header of a file that is written: no name, no time, and an unknown system, so that the same
  /// content always makes the same bytes.
  func setPlainHeader() throws(GzipError) {
    unsafe header.pointee.os = 255
    guard unsafe deflateSetHeader(stream, header) == Z_OK else { throw .unusable }
  }

  /// Begins anew, with the member of a file that follows the last.
  func restart() throws(GzipError) {
    guard unsafe inflateReset(stream) == Z_OK else { throw .unusable }
  }

  /// Runs one step of zlib.
  ///
  /// - Parameters:
  ///   - input: Bytes for zlib; those that it takes are removed.
  ///   - isLast: Whether nothing follows the input of a compression.
  /// - Returns: The status of zlib and its output, of a limited size.
  func step(
    _ input: inout ArraySlice<UInt8>, isLast: Bool = false
  ) -> (status: Int32, output: [UInt8]) {
    let limit = min(input.count, Int(UInt32.max))
    var bytes = Array(input.prefix(limit))
    var output = [UInt8](repeating: 0, count: Self.pieceByteCount)
    let status = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
      unsafe output.withUnsafeMutableBufferPointer { output in
        unsafe stream.pointee.next_in = bytes.baseAddress
        unsafe stream.pointee.avail_in = UInt32(bytes.count)
        unsafe stream.pointee.next_out = output.baseAddress
        unsafe stream.pointee.avail_out = UInt32(output.count)
        return switch direction {
        case .compression: unsafe deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
        case .decompression: unsafe inflate(stream, Z_NO_FLUSH)
        }
      }
    }
    input.removeFirst(limit - Int(unsafe stream.pointee.avail_in))
    output.removeLast(Int(unsafe stream.pointee.avail_out))
    unsafe stream.pointee.next_in = nil
    unsafe stream.pointee.next_out = nil
    return (status, output)
  }
}
