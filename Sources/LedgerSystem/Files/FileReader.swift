#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file, pipe or device that is read once from its beginning to its end.
package struct FileReader: ~Copyable {
  private let path: String
  private let descriptor: Int32

  package init(_ path: String) throws(SystemError) {
    descriptor = try Descriptor.open(path, O_RDONLY)
    self.path = path
  }

  deinit {
    Descriptor.close(descriptor)
  }

  /// The next bytes, at most `count` and as few as come at once; empty at the end.
  package mutating func read(upTo count: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    while true {
      let received = unsafe bytes.withUnsafeMutableBytes {
        unsafe systemRead(descriptor, $0.baseAddress, $0.count)
      }
      if received < 0 {
        if errno == EINTR { continue }
        throw SystemError.last("read", path: path)
      }
      bytes.removeLast(count - received)
      return bytes
    }
  }
}

// Outside of the type, whose method has the same name.

private func systemRead(
  _ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int
) -> Int {
  unsafe read(descriptor, bytes, count)
}
