import LedgerSystem

/// The directory of a ledger's session lock files, held open. Even if its name changes meanwhile, only the
/// files in this directory are examined, locked and removed.
struct SessionDirectory: ~Copyable {
  private static let suffix = ".lock"

  private let handle: DirectoryHandle

  /// - Throws: `.notFound` in a copy of a ledger made by a tool that omits empty directories; `.notPermitted`
  ///   if a user other than the ledger's owner created it.
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

  /// Opens the directory, and makes it if it is missing.
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
  /// - Parameter limit: The maximum number of names in the directory to examine.
  func sessions(limit: Int) throws(SystemError) -> [SessionID] {
    try handle.names(limit: limit).compactMap { name in
      name.hasSuffix(Self.suffix) ? SessionID(String(name.dropLast(Self.suffix.count))) : nil
    }
  }

  /// Examines the file of a session.
  ///
  /// The content is read with the lock held, and changes only with the lock held, so a session that is being
  /// unfrozen is never mistaken for dead. It does not need write permission.
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
      // The file may have been removed before it was locked, as a leftover of a killed process.
      if try file.tryLock(), try file.isNamed { return file }
      // A process that probes the file holds its lock for an instant.
      file.close()
      _ = pause.wait(timeout: .milliseconds(1))
    }
    throw SystemError(.busy, "flock", path: handle.path(of: Self.fileName(of: id)))
  }

  /// Removes the file of a session of this process.
  func remove(_ id: SessionID) {
    try? handle.remove(Self.fileName(of: id))
  }

  /// Removes the file of an ended session, unless its process still holds the lock.
  func removeUnlessLocked(_ id: SessionID) {
    _ = try? FileLock.removeUnlessHeld(Self.fileName(of: id), in: handle)
  }
}
