import LedgerLibC

/// A file, pipe or device that is read once from its beginning to its end.
package struct FileReader: ~Copyable {
  private let path: String
  private let descriptor: Int32

  package init(_ path: String) throws(SystemError) {
    descriptor = try Descriptor.open(path, O_RDONLY)
    self.path = path
  }

  /// Opens a file in a directory, without waiting for anything.
  init(_ name: String, in directory: borrowing DirectoryHandle) throws(SystemError) {
    descriptor = try directory.openEntry(name, O_RDONLY | O_NONBLOCK)
    path = directory.path(of: name)
  }

  deinit {
    Descriptor.close(descriptor)
  }

  /// The next bytes: at most `count`, possibly only those that are available at once; empty at the
  /// end.
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

  /// Whether the remaining content of two files is the same.
  static func haveSameContent(
    _ left: inout FileReader, _ right: inout FileReader
  ) throws(SystemError) -> Bool {
    while true {
      let piece = try left.read(upTo: 1 << 16)
      if piece.isEmpty { return try right.read(upTo: 1).isEmpty }
      var other: [UInt8] = []
      while other.count < piece.count {
        let more = try right.read(upTo: piece.count - other.count)
        if more.isEmpty { return false }
        other += more
      }
      guard piece == other else { return false }
    }
  }
}

// Outside the type, which has a method of the same name.

private func systemRead(
  _ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int
) -> Int {
  unsafe read(descriptor, bytes, count)
}
