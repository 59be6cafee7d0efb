import LedgerSystem

/// The file whose lock tells other processes that a session is alive.
///
/// The kernel drops the lock when the process dies. A session that is frozen holds no lock: the file
/// names its process instead, and while that runs the session is frozen. Every other session without
/// a lock is dead, whatever its role, so none stays for ever.
package final class SessionLock: Sendable {
  private let file: FileLock
  private let path: String

  /// Opens the file, in a directory that a copy of the ledger may lack: many tools leave out empty ones.
  private static func open(
    _ path: String, in directory: LedgerDirectory
  ) throws(SystemError) -> FileLock {
    do throws(SystemError) {
      return try FileLock.open(path)
    } catch {
      guard error.code == .notFound else { throw error }
    }
    do throws(SystemError) {
      try FileSystem.createSharedDirectory(directory.sessions)
    } catch {
      guard error.code == .exists else { throw error }
    }
    return try FileLock.open(path)
  }

  /// Creates the file if needed, locks it, and says that the session is open.
  package init(_ directory: LedgerDirectory, _ id: SessionID) throws(LedgerError) {
    path = directory.sessionLock(id)
    do throws(SystemError) {
      file = try Self.open(path, in: directory)
      // A prober holds the lock for an instant.
      let pause = WakeSemaphore()
      var attempts = 0
      while try !file.tryLock() {
        attempts += 1
        guard attempts < 200 else { throw SystemError(.busy, "flock", path: path) }
        _ = pause.wait(timeout: .milliseconds(1))
      }
      try file.writeContents(SessionNote(.open, of: .current).encoded)
    } catch {
      throw LedgerError(error, "The session's lock file cannot be made.")
    }
  }

  /// Says that the session is frozen, and lets go.
  package func freeze() throws(LedgerError) {
    defer { file.close() }
    do throws(SystemError) {
      try file.writeContents(SessionNote(.frozen, of: .current).encoded)
    } catch {
      throw LedgerError(error, "The session's lock file cannot be written.")
    }
  }

  /// Lets go and removes the file: the session ended.
  package func end() {
    try? FileSystem.remove(path)
    file.close()
  }

  /// Removes the file of a session that is over.
  package static func removeFile(_ directory: LedgerDirectory, _ id: SessionID) {
    try? FileSystem.remove(directory.sessionLock(id))
  }

  /// What a session's file tells about it.
  package enum Finding: Sendable, Hashable {
    case alive
    case frozen
    case dead
  }

  /// Looks whether a session that the log does not know as ended still has its process.
  ///
  /// The content is read with the lock held, and changes only with the lock held, so a session that
  /// comes back meanwhile is never taken for dead. It takes no permission to write.
  ///
  /// Of a file that may not be read, such as that of another user, only the process id in the log is
  /// left to go by: the session then counts as alive while any process has that id.
  package static func probe(_ directory: LedgerDirectory, _ session: SessionEntity) -> Finding {
    do throws(SystemError) {
      let content = try FileLock.contentsUnlessHeld(
        directory.sessionLock(session.id), maximum: SessionNote.maximumByteCount + 1)
      guard let content else { return .alive }
      guard let note = SessionNote(decoding: content), note.status == .frozen,
        note.process.isRunning
      else { return .dead }
      return .frozen
    } catch {
      if error.code == .notFound || error.code == .notDirectory { return .dead }
      return ThisProcess.isAlive(session.processID) ? .alive : .dead
    }
  }
}
