import LedgerSystem

/// The file whose lock tells other processes that a session is alive.
///
/// The kernel drops the lock when the process dies. A session that is frozen holds no lock: the file
/// names its process instead, and while that runs the session is frozen. Every other session without
/// a lock is dead, whatever its role, so none stays for ever.
final class SessionLock: SessionHold {
  /// Writes a note into the file.
  typealias Writer = @Sendable (FileLock, [UInt8]) throws(SystemError) -> Void

  private let file: FileLock
  private let directory: LedgerDirectory
  private let id: SessionID
  private let write: Writer
  /// Whether the file names this process.
  private let isNoted: Bool

  /// Creates the file if needed, locks it, and notes which process the session is in.
  ///
  /// Without room on the disk the note is left to the freeze: a session that is open needs the lock
  /// only, and one has to be open to make room.
  ///
  /// - Parameter write: How the note is written; tests have it fail.
  init(
    _ directory: LedgerDirectory, _ id: SessionID,
    writing write: @escaping Writer = { (file, note) throws(SystemError) in
      try file.writeContents(note)
    }
  ) throws(LedgerError) {
    self.directory = directory
    self.id = id
    self.write = write
    do throws(SystemError) {
      (file, isNoted) = try Self.lockAndNote(directory, id, write)
    } catch {
      throw LedgerError(error, "The session's lock file cannot be made.")
    }
  }

  private static func lockAndNote(
    _ directory: LedgerDirectory, _ id: SessionID, _ write: Writer
  ) throws(SystemError) -> (FileLock, isNoted: Bool) {
    let files = try SessionDirectory.make(in: directory)
    let file = try files.lock(id)
    let note = SessionNote(.current).encoded
    let content = try file.readContents(maximum: SessionNote.maximumByteCount + 1)
    if content == note { return (file, isNoted: true) }
    do throws(SystemError) {
      try write(file, note)
      return (file, isNoted: true)
    } catch {
      if error.code.isFullDisk {
        return (file, isNoted: false)
      }
      // One with a content is that of a session that was frozen.
      if content.isEmpty { files.remove(id) }
      throw error
    }
  }

  /// Lets go, and leaves a file that says in which process the session is.
  ///
  /// - Throws: `diskFull`, if there was no room for the note since the session was opened. Other
  ///   processes then take the session for dead.
  func freeze() throws(LedgerError) {
    defer { file.close() }
    guard !isNoted else { return }
    do throws(SystemError) {
      try write(file, SessionNote(.current).encoded)
    } catch {
      throw LedgerError(error, "The session's lock file cannot be written.")
    }
  }

  /// Lets go and removes the file: the session ended.
  func end() {
    if let files = try? SessionDirectory(directory) { files.remove(id) }
    file.close()
  }
}
