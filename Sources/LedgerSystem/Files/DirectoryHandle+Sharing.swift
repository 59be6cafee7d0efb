import LedgerLibC

/// Files and directories that a ledger's processes create for each other.
///
/// Root may work for the ledger's owner. A file that root creates in a directory then belongs to
/// the directory's owner, who must be able to use it afterwards.
extension DirectoryHandle {
  /// Creates a directory in this one. It belongs to the owner of this one even if root creates it.
  ///
  /// - Throws: `.exists` if the name is taken.
  package borrowing func createSharedDirectory(_ name: String) throws(SystemError) {
    try createDirectory(name)
    guard try heir != nil else { return }
    // The owner may have put something else there. Only the new directory is given away.
    let made = try directory(name)
    guard try made.facts.isOurs, try made.list().isEmpty else { return }
    try giveToOwner(made.descriptor)
  }

  /// Opens or creates a regular file in this directory. A pipe or a device never holds up the
  /// caller.
  ///
  /// - Throws: `.notRegularFile` if something else has the name.
  func openShared(
    _ name: String, _ flags: Int32, mode: UInt32
  ) throws(SystemError) -> Int32 {
    while true {
      do throws(SystemError) {
        return try openRegular(name, flags)
      } catch {
        guard error.code == .notFound else { throw error }
      }
      do throws(SystemError) {
        let descriptor = try openRegular(name, flags | O_CREAT | O_EXCL, mode: mode)
        try? giveToOwner(descriptor)
        return descriptor
      } catch {
        // Another process was faster; its file may be gone again.
        guard error.code == .exists else { throw error }
      }
    }
  }

  /// Opens a regular file in this directory.
  ///
  /// - Throws: `.notRegularFile` if something else has the name.
  func openRegular(
    _ name: String, _ flags: Int32, mode: UInt32 = 0
  ) throws(SystemError) -> Int32 {
    let descriptor: Int32
    do throws(SystemError) {
      descriptor = try openEntry(name, flags | O_NONBLOCK, mode: mode)
    } catch {
      // The system has a specific code for everything else that cannot be opened like this.
      guard error.code != .notFound, error.code != .exists, let facts = try? facts(of: name),
        facts.kind != .file
      else { throw error }
      throw SystemError(.notRegularFile, "openat", path: path(of: name))
    }
    return try Descriptor.requireRegular(descriptor, path: path(of: name))
  }

  /// The owner to whom root gives the files that it creates; `nil` if they stay with their creator.
  package var heir: FileFacts? {
    get throws(SystemError) {
      guard geteuid() == 0 else { return nil }
      let owner = try facts
      return owner.owner == 0 ? nil : owner
    }
  }

  package func giveToOwner(_ descriptor: Int32) throws(SystemError) {
    guard let heir = try heir else { return }
    // A file system without owners is no problem.
    _ = fchown(descriptor, heir.owner, heir.group)
  }

  /// Gives an entry the permissions of a file that it replaces, and if root made it, its owner and group.
  ///
  /// The entry is not opened: closing a file drops the locks that its process has on it.
  package borrowing func giveRights(_ rights: FileFacts, to name: String) throws(SystemError) {
    guard let facts = try facts(of: name) else { return }
    if facts.owner != rights.owner || facts.group != rights.group {
      // Where that is not possible, the file belongs to the user who made it.
      _ = unsafe fchownat(descriptor, name, rights.owner, rights.group, AT_SYMLINK_NOFOLLOW)
    }
    // Root does not follow a link that the directory's owner may have put there.
    guard facts.permissions != rights.permissions, geteuid() != 0 || facts.isOurs else { return }
    if unsafe fchmodat(descriptor, name, mode_t(rights.permissions), 0) == -1 {
      throw SystemError.last("fchmodat", path: path(of: name))
    }
  }
}
