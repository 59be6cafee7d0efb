internal import CLedgerSystem
import LedgerLibC

/// A file that is written piece by piece and appears under its name only when it is complete.
///
/// Until then it stands beside its final place under another name, locked. A file that is abandoned
/// before that is removed. Everything happens in the directory that was opened at the beginning,
/// even if the path leads elsewhere meanwhile.
package struct AtomicFile: ~Copyable {
  private let directory: DirectoryHandle
  private let name: String
  private let temporary: String
  private let descriptor: Int32
  private var byteCount = 0
  private var isFinished = false

  /// - Parameter mode: The permissions of the file, less the process's umask.
  package init(_ path: String, mode: UInt32 = 0o600) throws(SystemError) {
    let directory = try DirectoryHandle(FileSystem.parent(of: path))
    let name = FileSystem.lastComponent(of: path)
    (temporary, descriptor) = try Self.create(for: name, in: directory, mode)
    self.name = name
    self.directory = directory
  }

  deinit {
    if !isFinished { try? directory.remove(temporary) }
    Descriptor.close(descriptor)
  }

  /// Creates a file and locks it. An unlocked file was left by a process that ended.
  private static func create(
    for name: String, in directory: borrowing DirectoryHandle, _ mode: UInt32
  ) throws(SystemError) -> (name: String, descriptor: Int32) {
    while true {
      let temporary = TemporaryName.make(for: name)
      let path = directory.path(of: temporary)
      let descriptor: Int32
      do throws(SystemError) {
        descriptor = try directory.openEntry(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: mode)
      } catch {
        guard error.code == .exists else { throw error }
        continue
      }
      do throws(SystemError) {
        let code = cledger_flock_try(descriptor, true)
        // Where files cannot be locked, as on some network file systems, none counts as left over.
        let isUnlockable = [ENOLCK, ENOTSUP, ENOSYS, EOPNOTSUPP].contains(code)
        if code != EWOULDBLOCK, !isUnlockable {
          try SystemError.check(code, "flock", path: path)
        }
        // Another process may have found the file before it was locked, and removed it.
        let isThere = try FileFacts(of: descriptor, path: path).nameCount > 0
        if code == 0 || isUnlockable, isThere { return (temporary, descriptor) }
        Descriptor.close(descriptor)
      } catch {
        try? directory.remove(temporary)
        Descriptor.close(descriptor)
        throw error
      }
    }
  }

  /// Adds bytes at the end.
  package mutating func write(_ bytes: [UInt8]) throws(SystemError) {
    try Descriptor.write(
      bytes, to: descriptor, at: byteCount, path: directory.path(of: temporary))
    byteCount += bytes.count
  }

  /// Makes the content durable, so that ``finish()`` needs no more space for it, and gives the file the
  /// permissions of the one that it is to replace, and if root writes it, its owner and group.
  package borrowing func prepare() throws(SystemError) {
    if let old = try directory.facts(of: name) { try directory.giveRights(old, to: temporary) }
    try sync()
  }

  /// Moves the file to its final place, replacing a file there. It is durable once this has
  /// returned.
  package consuming func finish() throws(SystemError) {
    try sync()
    try directory.rename(temporary, to: name)
    isFinished = true
    try directory.sync()
  }

  /// Moves the file to its final place durably, unless a file is there already: that one is never
  /// replaced.
  ///
  /// - Throws: `.exists` if the file there has other bytes, or is not a regular file; the same
  ///   bytes are fine.
  package consuming func finishExclusively() throws(SystemError) {
    try sync()
    do throws(SystemError) {
      try renameExclusively()
      isFinished = true
    } catch {
      guard error.code == .exists, try isAlreadyThere() else { throw error }
    }
    try directory.sync()
  }

  private borrowing func sync() throws(SystemError) {
    try SystemError.check(
      cledger_full_sync(descriptor), "fsync", path: directory.path(of: temporary))
  }

  private borrowing func renameExclusively() throws(SystemError) {
    do throws(SystemError) {
      try directory.renameExclusively(temporary, to: name)
    } catch {
      guard error.code == .notSupported else { throw error }
      // Without an exclusive rename, the only option is to look first.
      if try directory.facts(of: name) != nil {
        throw SystemError(.exists, "rename", path: directory.path(of: name))
      }
      try directory.rename(temporary, to: name)
    }
  }

  /// Whether a regular file with the same bytes has the name.
  private borrowing func isAlreadyThere() throws(SystemError) -> Bool {
    guard let facts = try directory.facts(of: name), facts.kind == .file else { return false }
    var mine = try FileReader(temporary, in: directory)
    var other = try FileReader(name, in: directory)
    return try FileReader.haveSameContent(&mine, &other)
  }

  /// Removes unfinished files that killed processes left in a directory.
  ///
  /// Only regular files of this process's user are removed, if their names have the form that
  /// ``init(_:mode:)`` makes and no process has locked them.
  ///
  /// - Parameter isTarget: Whether to remove the unfinished files that have this final name.
  package static func removeUnfinished(
    in path: String, where isTarget: (_ name: String) -> Bool
  ) throws(SystemError) {
    let directory = try DirectoryHandle(path)
    for name in try directory.list() {
      guard let target = TemporaryName.target(of: name), isTarget(target) else { continue }
      guard let facts = try directory.facts(of: name), facts.kind == .file, facts.isOurs,
        let descriptor = try? directory.openEntry(name, O_RDONLY | O_NONBLOCK)
      else { continue }
      defer { Descriptor.close(descriptor) }
      guard try FileFacts(of: descriptor, path: name).identity == facts.identity,
        cledger_flock_try(descriptor, true) == 0
      else { continue }
      try directory.remove(name)
    }
  }
}
