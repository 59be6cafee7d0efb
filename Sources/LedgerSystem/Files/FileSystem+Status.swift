import LedgerLibC

/// Identifies the file or directory that a path leads to: equal for two names of one file.
package struct FileIdentity: Hashable, Sendable {
  /// The number of the file system.
  package var device: UInt64
  /// The number of the file within it, reused after its removal.
  package var inode: UInt64
}

/// The kind of thing that a path leads to.
package enum FileKind: Sendable, Hashable {
  /// A regular file.
  case file
  /// A directory.
  case directory
  /// A device, pipe, socket or similar; a symbolic link where links are not followed.
  case other
}

extension FileSystem {
  /// The device and inode of the file that the path leads to.
  package static func identity(_ path: String) throws(SystemError) -> FileIdentity {
    FileIdentity(try status(path))
  }

  /// The kind of thing that the path leads to, or nil if there is nothing.
  package static func kind(_ path: String) throws(SystemError) -> FileKind? {
    do throws(SystemError) {
      return FileKind(try status(path))
    } catch {
      if error.code == .notFound || error.code == .notDirectory { return nil }
      throw error
    }
  }

  /// Whether the path is that of a symbolic link, wherever the link leads.
  package static func isSymbolicLink(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// The absolute path that a path resolves to, without symbolic links, `.` and `..`.
  package static func realPath(_ path: String) throws(SystemError) -> String {
    guard let real = unsafe realpath(path, nil) else {
      throw SystemError.last("realpath", path: path)
    }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  /// The absolute path of the file that a path leads to, without symbolic links, `.` and `..`. The file may be
  /// missing, but not its directory.
  ///
  /// - Throws: `.notFound` if the directory is missing; `.tooManyLinks` if links lead to each other.
  package static func targetPath(_ path: String) throws(SystemError) -> String {
    var path = path
    for _ in 0..<maximumLinkCount {
      do throws(SystemError) {
        return try realPath(path)
      } catch {
        guard error.code == .notFound else { throw error }
      }
      guard isSymbolicLink(path) else {
        let directory = try realPath(parent(of: path))
        return (directory == "/" ? "" : directory) + "/" + lastComponent(of: path)
      }
      let next = try content(ofLink: path)
      path = next.hasPrefix("/") ? next : "\(parent(of: path))/\(next)"
    }
    throw SystemError(.tooManyLinks, "readlink", path: path)
  }

  /// The number of symbolic links that a path may lead through, as on Linux.
  private static let maximumLinkCount = 40

  /// The path in a symbolic link.
  private static func content(ofLink path: String) throws(SystemError) -> String {
    // No system opens a longer path.
    let capacity = 4_096
    var buffer = [CChar](repeating: 0, count: capacity)
    let count = unsafe readlink(path, &buffer, capacity)
    if count == -1 { throw SystemError.last("readlink", path: path) }
    guard count < capacity else { throw SystemError(.nameTooLong, "readlink", path: path) }
    return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The length of a file in bytes.
  package static func fileSize(_ path: String) throws(SystemError) -> Int {
    Int(try status(path).st_size)
  }

  private static func status(_ path: String) throws(SystemError) -> stat {
    var status = stat()
    if unsafe stat(path, &status) == -1 { throw SystemError.last("stat", path: path) }
    return status
  }
}
