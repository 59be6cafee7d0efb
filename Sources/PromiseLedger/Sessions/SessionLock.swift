import LedgerSystem

/// The file whose lock tells other processes that a session is alive.
///
/// The kernel drops the lock when the process dies. A session that is frozen holds no lock; what
/// tells it from a dead one is the content of the file.
package final class SessionLock: Sendable {
  private static let openContent = Array("open".utf8)
  private static let frozenContent = Array("frozen".utf8)

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
      try FileSystem.createDirectory(directory.sessions)
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
      try file.writeContents(Self.openContent)
    } catch {
      throw LedgerError(error, "The session's lock file cannot be made.")
    }
  }

  /// Says that the session is frozen, and lets go.
  package func freeze() throws(LedgerError) {
    defer { file.close() }
    do throws(SystemError) {
      try file.writeContents(Self.frozenContent)
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
  /// comes back meanwhile is never taken for dead.
  package static func probe(_ directory: LedgerDirectory, _ id: SessionID) -> Finding {
    let path = directory.sessionLock(id)
    guard FileSystem.exists(path) else { return .dead }
    do throws(SystemError) {
      let file = try FileLock.open(path)
      defer { file.close() }
      guard try file.tryLock() else { return .alive }
      return try file.readContents(maximum: 16) == frozenContent ? .frozen : .dead
    } catch {
      // A failure proves nothing.
      return .alive
    }
  }

  /// Looks as ``probe(_:_:)`` does, without the permission to write.
  ///
  /// A session that is just about to open, freeze or come back may look dead for an instant.
  package static func look(_ directory: LedgerDirectory, _ id: SessionID) -> Finding {
    let path = directory.sessionLock(id)
    do throws(SystemError) {
      guard try !FileLock.isHeld(path) else { return .alive }
      return try FileSystem.read(path, maximumBytes: 16) == frozenContent ? .frozen : .dead
    } catch {
      // What is missing is nobody's; any other failure proves nothing.
      return error.code == .notFound ? .dead : .alive
    }
  }
}
