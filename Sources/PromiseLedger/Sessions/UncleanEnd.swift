import LedgerSystem

/// Detects, from the lock files of sessions, whether a process that used the ledger ended without closing or
/// freezing it. A session that closes removes its file.
///
/// A power cut may remove the files, and another process that notes the end of the session removes its file.
/// So an unclean end may leave no sign.
enum UncleanEnd {
  /// The maximum number of session files to examine.
  static let maximumFileCount = 256

  /// Whether a session has a file but no process any more.
  static func isSeen(in directory: LedgerDirectory) -> Bool {
    !deadSessions(in: directory, limit: 1).isEmpty
  }

  /// The sessions that have a file, but no process any more.
  ///
  /// - Parameter limit: The maximum number of results.
  static func deadSessions(
    in directory: LedgerDirectory, limit: Int = maximumFileCount
  ) -> [SessionID] {
    guard let files = try? SessionDirectory(directory),
      let sessions = try? files.sessions(limit: maximumFileCount)
    else { return [] }
    var dead: [SessionID] = []
    for id in sessions where dead.count < limit {
      // A file that disappeared meanwhile, or belongs to another user, is not evidence.
      if (try? files.finding(of: id)) == .dead { dead.append(id) }
    }
    return dead
  }
}
