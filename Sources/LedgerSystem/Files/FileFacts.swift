import LedgerLibC

/// The facts that the system reports about a file or directory.
package struct FileFacts: Sendable, Hashable {
  package var kind: FileKind
  package var identity: FileIdentity
  /// The id of the user that it belongs to.
  package var owner: UInt32
  /// The id of the group that it belongs to.
  package var group: UInt32
  /// The permission bits, with those for set-user-id, set-group-id and sticky.
  package var permissions: UInt32
  /// The number of its names; 0 once the last one was removed.
  package var nameCount: UInt64
  /// The length of a file in bytes.
  package var byteCount: Int64

  init(_ status: stat) {
    kind = FileKind(status)
    identity = FileIdentity(status)
    owner = status.st_uid
    group = status.st_gid
    permissions = UInt32(status.st_mode) & 0o7777
    nameCount = UInt64(status.st_nlink)
    byteCount = Int64(status.st_size)
  }

  /// The facts about the file or directory that an open descriptor refers to.
  package init(of descriptor: Int32, path: String) throws(SystemError) {
    var status = stat()
    if unsafe fstat(descriptor, &status) == -1 { throw SystemError.last("fstat", path: path) }
    self.init(status)
  }

  /// Whether it belongs to the user that this process acts for.
  package var isOurs: Bool { owner == geteuid() }
}

extension FileKind {
  init(_ status: stat) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: self = .file
    case S_IFDIR: self = .directory
    default: self = .other
    }
  }
}

extension FileIdentity {
  init(_ status: stat) {
    self.init(
      device: UInt64(truncatingIfNeeded: status.st_dev),
      inode: UInt64(truncatingIfNeeded: status.st_ino))
  }
}
