import CLedgerSystem
import LedgerLibC

extension FileSystem {
  /// The first bytes of a file: fewer than `maximumBytes` only if it is shorter.
  ///
  /// Never call it for a file on which this process has `fcntl` locks: closing the file would drop
  /// them.
  package static func readPrefix(
    _ path: String, maximumBytes: Int
  ) throws(SystemError) -> [UInt8] {
    let descriptor = try Descriptor.openRegular(path, O_RDONLY)
    defer { Descriptor.close(descriptor) }
    return try Descriptor.read(from: descriptor, maximumBytes: maximumBytes, path: path)
  }

  /// Replaces a file, or creates it. Even after a power cut the file holds either the old or the
  /// new content; once this has returned, it holds the new content.
  ///
  /// - Parameter mode: The permissions of the new file, less the process's umask.
  package static func writeAtomically(
    _ bytes: [UInt8], to path: String, mode: UInt32 = 0o600
  ) throws(SystemError) {
    var file = try AtomicFile(path, mode: mode)
    try file.write(bytes)
    try file.finish()
  }

  /// Waits until a file's content is on the disk (`fsync`; F_FULLFSYNC on Apple platforms).
  package static func syncFile(_ path: String) throws(SystemError) {
    try sync(path, O_RDONLY)
  }

  /// Waits until a directory's entries are on the disk; call it after you create, rename or remove
  /// one.
  package static func syncDirectory(_ path: String) throws(SystemError) {
    try sync(path, O_RDONLY | O_DIRECTORY)
  }

  /// The directory that holds the last component of the path.
  package static func parent(of path: String) -> String {
    var rest = path.utf8[...]
    while rest.count > 1, rest.last == UInt8(ascii: "/") { rest.removeLast() }
    guard let slash = rest.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == rest.startIndex ? "/" : String(path[..<slash])
  }

  /// The last component of the path, without trailing slashes; for `/` it is `/`.
  package static func lastComponent(of path: String) -> String {
    var rest = path.utf8[...]
    while rest.count > 1, rest.last == UInt8(ascii: "/") { rest.removeLast() }
    if rest.count > 1, let slash = rest.lastIndex(of: UInt8(ascii: "/")) {
      rest = rest[rest.index(after: slash)...]
    }
    return String(decoding: rest, as: UTF8.self)
  }

  private static func sync(_ path: String, _ flags: Int32) throws(SystemError) {
    let descriptor = try Descriptor.open(path, flags | O_NONBLOCK)
    defer { Descriptor.close(descriptor) }
    try SystemError.check(cledger_full_sync(descriptor), "fsync", path: path)
  }
}
