import LedgerSystem

/// The file whose lock shows other processes that a session is alive.
///
/// The kernel drops the lock when the process dies. A frozen session holds no lock: instead the file names
/// its process, and the session counts as frozen while that process runs. Every other session without a lock
/// is dead, regardless of its role, so no session stays forever.
final class SessionLock: SessionHold {
  /// Writes a note into the file.
  typealias Writer = @Sendable (FileLock, [UInt8]) throws(SystemError) -> Void

  private let file: FileLock
  private let directory: LedgerDirectory
  private let id: SessionID
  private let write: Writer
  /// Whether the file already names this process.
  private let isNoted: Bool

  /// Creates the file if needed, locks it, and notes the process of the session.
  ///
  /// If the disk is full, the note is left to the freeze: an open session needs only the lock, and a session
  /// must be open to free space.
  ///
  /// - Parameter write: Writes the note; tests make it fail.
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
      throw LedgerError(error, "The session's lock file cannot be created.")
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
      // A file with content belongs to a session that was frozen.
      if content.isEmpty { files.remove(id) }
      throw error
    }
  }

  /// Releases the lock, and leaves a file that names the process of the session.
  ///
  /// - Throws: `diskFull`, if there was no space for the note since the session was opened. Other processes
  ///   then consider the session dead.
  func freeze() throws(LedgerError) {
    defer { file.close() }
    guard !isNoted else { return }
    do throws(SystemError) {
      try write(file, SessionNote(.current).encoded)
    } catch {
      throw LedgerError(error, "The session's lock file cannot be written.")
    }
  }

  /// Releases the lock and removes the file, because the session ended.
  func end() {
    if let files = try? SessionDirectory(directory) { files.remove(id) }
    file.close()
  }
}
