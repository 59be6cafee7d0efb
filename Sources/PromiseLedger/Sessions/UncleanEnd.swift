import LedgerSystem

/// Whether a process that used the ledger ended without closing or freezing it: it crashed, was killed, or
/// the machine lost its power.
enum UncleanEnd {
  /// How many sessions' files are looked at.
  private static let maximumFileCount = 64

  /// Looks for a session's file that no process has locked, and that names no running process that has
  /// frozen the session: a session that closes removes its file.
  static func isSeen(in directory: LedgerDirectory) -> Bool {
    guard let names = try? FileSystem.list(directory.sessions) else { return false }
    return names.lazy.filter { $0.hasSuffix(".lock") }.prefix(maximumFileCount).contains { name in
      let path = "\(directory.sessions)/\(name)"
      do throws(SystemError) {
        let content = try FileLock.contentsUnlessHeld(
          path, maximum: SessionNote.maximumByteCount + 1)
        guard let content else { return false }
        guard let note = SessionNote(decoding: content), note.status == .frozen else { return true }
        return !note.process.isRunning
      } catch {
        // It went meanwhile, or belongs to another user: no evidence.
        return false
      }
    }
  }
}

extension PageCheck {
  /// Whether every page is to be looked at before the ledger is opened.
  func isDue(in directory: LedgerDirectory) -> Bool {
    switch self {
    case .never: false
    case .afterUncleanEnd: UncleanEnd.isSeen(in: directory)
    case .always: true
    }
  }
}
