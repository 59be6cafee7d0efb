import LedgerSystem

/// Whether a process that used the ledger ended without closing or freezing it, as far as the lock files
/// of sessions tell: a session that closes removes its file.
///
/// A power cut may take the files away, and another process that notes the end of the session removes
/// its file. So an end that was not clean may leave no sign.
enum UncleanEnd {
  /// How many sessions' files are looked at.
  static let maximumFileCount = 256

  /// Looks for the file of a session whose process is gone.
  static func isSeen(in directory: LedgerDirectory) -> Bool {
    !deadSessions(in: directory, limit: 1).isEmpty
  }

  /// The sessions that have a file, but no process any more.
  ///
  /// - Parameter limit: How many are enough.
  static func deadSessions(
    in directory: LedgerDirectory, limit: Int = maximumFileCount
  ) -> [SessionID] {
    guard let files = try? SessionDirectory(directory),
      let sessions = try? files.sessions(limit: maximumFileCount)
    else { return [] }
    var dead: [SessionID] = []
    for id in sessions where dead.count < limit {
      // A file that went meanwhile, or belongs to another user, is no evidence.
      if (try? files.finding(of: id)) == .dead { dead.append(id) }
    }
    return dead
  }
}
