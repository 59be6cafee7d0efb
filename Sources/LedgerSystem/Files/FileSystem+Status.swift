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
