import CLedgerSystem
import LedgerLibC

/// An open directory, whose entries are reached by name without resolving its path again.
///
/// In a directory that others may write, a path may lead elsewhere from one call to the next. A
/// descriptor always refers to the same directory, so the directory that was checked is the one
/// that is changed. No method follows a symbolic link that is an entry.
package struct DirectoryHandle: ~Copyable, Sendable {
  /// The path that it was opened with, for messages.
  package let path: String
  package let descriptor: Int32

  private static let flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK

  /// Opens the directory that a path leads to; symbolic links are followed.
  package init(_ path: String) throws(SystemError) {
    descriptor = try Descriptor.open(path, Self.flags)
    self.path = path
  }

  /// Opens a directory only to reach its entries by name: it need not be readable.
  package init(reaching path: String) throws(SystemError) {
    #if os(Linux)
      // `O_PATH`, which some C libraries do not export to Swift.
      let flags = 0o10000000 | O_DIRECTORY
    #else
      let flags = Self.flags
    #endif
    descriptor = try Descriptor.open(path, flags)
    self.path = path
  }

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit { Descriptor.close(descriptor) }

  /// Opens a directory in this one.
  ///
  /// - Throws: `.notDirectory` or `.tooManyLinks` if the name is that of something else.
  package borrowing func directory(_ name: String) throws(SystemError) -> DirectoryHandle {
    DirectoryHandle(
      path: path(of: name),
      descriptor: try openEntry(name, Self.flags | O_NOFOLLOW))
  }

  /// Opens or creates a file in this directory.
  package func openEntry(
    _ name: String, _ flags: Int32, mode: UInt32 = 0
  ) throws(SystemError) -> Int32 {
    while true {
      let opened = unsafe openat(
        descriptor, name, flags | O_CLOEXEC | O_NOFOLLOW, mode_t(mode))
      if opened >= 0 { return opened }
      if errno != EINTR { throw SystemError.last("openat", path: path(of: name)) }
    }
  }

  // MARK: Looking

  /// The facts about the directory itself.
  package var facts: FileFacts {
    get throws(SystemError) { try FileFacts(of: descriptor, path: path) }
  }

  /// The facts about an entry, without following a symbolic link; `nil` if there is no such entry.
  package borrowing func facts(of name: String) throws(SystemError) -> FileFacts? {
    var status = stat()
    if unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 {
      return FileFacts(status)
    }
    if errno == ENOENT { return nil }
    throw SystemError.last("fstatat", path: path(of: name))
  }

  /// The names in it, sorted by their bytes, without `.` and `..`.
  package borrowing func list() throws(SystemError) -> [String] {
    try names(limit: .max).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Some of the names in it, in no order, without `.` and `..`.
  ///
  /// - Complexity: O(limit), however many entries there are.
  package borrowing func names(limit: Int) throws(SystemError) -> [String] {
    // A separate descriptor, which the stream closes, and which begins at the first entry.
    let copy = unsafe openat(descriptor, ".", Self.flags | O_CLOEXEC)
    guard copy >= 0 else { throw SystemError.last("openat", path: path) }
    guard let stream = unsafe fdopendir(copy) else {
      let error = SystemError.last("fdopendir", path: path)
      Descriptor.close(copy)
      throw error
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while names.count < limit {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        if errno != 0 { throw SystemError.last("readdir", path: path) }
        break
      }
      let name = unsafe String(cString: cledger_entry_name(entry))
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// A path that leads to this very directory even if it is renamed, for code that only takes
  /// paths. It is valid as long as this object lives.
  ///
  /// Where the system has no such path, it is the one that the directory was opened with.
  package var lastingPath: String {
    let link = "/proc/self/fd/\(descriptor)"
    guard let mine = try? facts.identity, let other = try? FileSystem.identity(link),
      mine == other
    else { return path }
    return link
  }

  /// The path of an entry, for messages.
  package borrowing func path(of name: String) -> String {
    path.last == "/" ? path + name : "\(path)/\(name)"
  }

  // MARK: Changing

  /// Creates a directory in this one.
  ///
  /// - Throws: `.exists` if the name is taken.
  package borrowing func createDirectory(
    _ name: String, mode: UInt32 = 0o700
  ) throws(SystemError) {
    if unsafe mkdirat(descriptor, name, mode_t(mode)) == -1 {
      throw SystemError.last("mkdirat", path: path(of: name))
    }
  }

  /// Creates an empty file in this directory.
  ///
  /// - Throws: `.exists` if the name is taken.
  package borrowing func createFile(_ name: String, mode: UInt32 = 0o600) throws(SystemError) {
    Descriptor.close(try openEntry(name, O_WRONLY | O_CREAT | O_EXCL, mode: mode))
  }

  /// Removes a file or a symbolic link by name; a missing one is no error.
  package borrowing func remove(_ name: String) throws(SystemError) {
    try unlink(name, 0)
  }

  /// Removes an empty directory; a missing one is no error.
  package borrowing func removeDirectory(_ name: String) throws(SystemError) {
    try unlink(name, AT_REMOVEDIR)
  }

  private borrowing func unlink(_ name: String, _ flags: Int32) throws(SystemError) {
    if unsafe unlinkat(descriptor, name, flags) == -1, errno != ENOENT {
      throw SystemError.last("unlinkat", path: path(of: name))
    }
  }

  /// Removes a file, or a directory with everything in it; a missing one is no error.
  package borrowing func removeTree(_ name: String) throws(SystemError) {
    guard let facts = try facts(of: name) else { return }
    guard facts.kind == .directory else { return try remove(name) }
    let below = try directory(name)
    for entry in try below.list() { try below.removeTree(entry) }
    try removeDirectory(name)
  }

  /// Renames an entry within this directory, replacing a file or an empty directory.
  package borrowing func rename(_ from: String, to: String) throws(SystemError) {
    if unsafe renameat(descriptor, from, descriptor, to) == -1 {
      throw SystemError.last("renameat", path: path(of: from))
    }
  }

  /// Renames an entry within this directory, unless the new name is taken.
  ///
  /// - Throws: `.exists`, or `.notSupported` where the file system cannot.
  package borrowing func renameExclusively(_ from: String, to: String) throws(SystemError) {
    try SystemError.check(
      unsafe cledger_rename_exclusively(descriptor, from, descriptor, to), "renameat2",
      path: path(of: to))
  }

  /// Waits until its entries are on the disk; call it after you create, rename or remove one.
  package borrowing func sync() throws(SystemError) {
    try SystemError.check(cledger_full_sync(descriptor), "fsync", path: path)
  }

  /// Locks the directory, until this object ends, against others that try the same.
  ///
  /// - Returns: Whether it was taken; `false` while another object, in any process, has it.
  package borrowing func tryLock() throws(SystemError) -> Bool {
    try Descriptor.tryLock(descriptor, path: path)
  }
}
