import LedgerLibC

/// Which file or directory a path leads to, whatever the path: equal for two names of one file.
package struct FileIdentity: Hashable, Sendable {
  /// The number of the file system.
  package var device: UInt64
  /// The number of the file within it, reused after its removal.
  package var inode: UInt64
}

/// What a path leads to.
package enum FileKind: Sendable, Hashable {
  /// A regular file.
  case file
  /// A directory.
  case directory
  /// A device, pipe, socket or the like; a symbolic link where none is followed.
  case other
}

extension FileSystem {
  /// Device and inode of what the path leads to.
  package static func identity(_ path: String) throws(SystemError) -> FileIdentity {
    FileIdentity(try status(path))
  }

  /// What the path leads to, or nil if nothing.
  package static func kind(_ path: String) throws(SystemError) -> FileKind? {
    do throws(SystemError) {
      return FileKind(try status(path))
    } catch {
      if error.code == .notFound || error.code == .notDirectory { return nil }
      throw error
    }
  }

  /// Whether the path is that of a symbolic link, wherever it leads.
  package static func isSymbolicLink(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// The absolute path without symbolic links, `.` and `..` that a path leads to.
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
