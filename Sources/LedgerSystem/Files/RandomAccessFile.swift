/// A regular file that is read at any offset, without a map: a file that is cut meanwhile is shorter, and
/// never a signal.
package final class RandomAccessFile: Sendable {
  private let path: String
  private let descriptor: Int32

  /// Opens a file for reading.
  package init(_ path: String) throws(SystemError) {
    descriptor = try Descriptor.openRegular(path)
    self.path = path
  }

  deinit { Descriptor.close(descriptor) }

  /// The length of the file in bytes.
  package var byteCount: Int {
    get throws(SystemError) {
      Int(clamping: try FileFacts(of: descriptor, path: path).byteCount)
    }
  }

  /// Bytes at an offset; fewer only if the file ends before.
  package func read(_ count: Int, at offset: UInt64) throws(SystemError) -> [UInt8] {
    try Descriptor.read(count, from: descriptor, at: offset, path: path)
  }
}
