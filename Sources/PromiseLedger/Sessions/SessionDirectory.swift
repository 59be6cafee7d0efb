import LedgerSystem

/// The directory of a ledger's session lock files, held open: wherever its name leads meanwhile, the
/// files in it are those that are looked at, locked and removed.
struct SessionDirectory: ~Copyable {
  private static let suffix = ".lock"

  private let handle: DirectoryHandle

  /// - Throws: `.notFound` in a copy of a ledger by a tool that leaves out empty directories;
  ///   `.notPermitted` if another user than the ledger's owner put it there.
  init(_ directory: LedgerDirectory) throws(SystemError) {
    try self.init(in: DirectoryHandle(directory.path))
  }

  private init(in ledger: borrowing DirectoryHandle) throws(SystemError) {
    let handle = try ledger.directory(LedgerDirectory.sessionsName)
    let (owner, facts) = (try ledger.facts.owner, try handle.facts)
    guard facts.isOurs || facts.owner == owner else {
      throw SystemError(.notPermitted, "openat", path: handle.path)
    }
    self.handle = handle
  }

  /// Opens it, and makes it if it is missing.
  static func make(in directory: LedgerDirectory) throws(SystemError) -> SessionDirectory {
    let ledger = try DirectoryHandle(directory.path)
    do throws(SystemError) {
      return try SessionDirectory(in: ledger)
    } catch {
      guard error.code == .notFound else { throw error }
    }
    do throws(SystemError) {
      try ledger.createSharedDirectory(LedgerDirectory.sessionsName)
    } catch {
      guard error.code == .exists else { throw error }
    }
    return try SessionDirectory(in: ledger)
  }

  private static func fileName(of id: SessionID) -> String { "\(id)\(suffix)" }

  // MARK: Looking

  /// Some of the sessions that have a file, in no order.
  ///
  /// - Parameter limit: How many names in the directory are looked at.
  func sessions(limit: Int) throws(SystemError) -> [SessionID] {
    try handle.names(limit: limit).compactMap { name in
      name.hasSuffix(Self.suffix) ? SessionID(String(name.dropLast(Self.suffix.count))) : nil
    }
  }

  /// Looks at the file of a session.
  ///
  /// The content is read with the lock held, and changes only with the lock held, so a session that
  /// comes back meanwhile is never taken for dead. It takes no permission to write.
  func finding(of id: SessionID) throws(SystemError) -> SessionFinding {
    let content = try FileLock.contentsUnlessHeld(
      Self.fileName(of: id), in: handle, maximum: SessionNote.maximumByteCount + 1)
    guard let content else { return .alive }
    guard let note = SessionNote(decoding: content), note.process.isRunning else { return .dead }
    return .frozen
  }

  // MARK: Changing

  /// Opens or makes the file of a session, and locks it.
  func lock(_ id: SessionID) throws(SystemError) -> FileLock {
    let pause = WakeSemaphore()
    for _ in 0..<200 {
      let file = try FileLock.open(Self.fileName(of: id), in: handle)
      // It may have been removed before it was locked, as one that a killed process left.
      if try file.tryLock(), try file.isNamed { return file }
      // A prober holds the lock for an instant.
      file.close()
      _ = pause.wait(timeout: .milliseconds(1))
    }
    throw SystemError(.busy, "flock", path: handle.path(of: Self.fileName(of: id)))
  }

  /// Removes the file of a session of this process.
  func remove(_ id: SessionID) {
    try? handle.remove(Self.fileName(of: id))
  }

  /// Removes the file of a session that is over, unless its process has locked it all the same.
  func removeUnlessLocked(_ id: SessionID) {
    _ = try? FileLock.removeUnlessHeld(Self.fileName(of: id), in: handle)
  }
}
