import LedgerSystem

/// A session registry in the form of a directory with one lock file per session; see ``SessionLock``.
package struct FileSessionRegistry: SessionRegistry {
  private let directory: LedgerDirectory

  package init(in directory: LedgerDirectory) {
    self.directory = directory
  }

  package func begin(_ session: SessionID) throws(LedgerError) -> any SessionHold {
    try SessionLock(directory, session)
  }

  /// If this process may not read a file, such as that of another user, the result depends only on the
  /// process id in the log: the session counts as alive while any process has that id.
  package func findings(of sessions: [SessionEntity]) -> [SessionFinding] {
    guard !sessions.isEmpty else { return [] }
    let files: SessionDirectory
    do throws(SystemError) {
      files = try SessionDirectory(directory)
    } catch {
      return sessions.map { Self.finding(of: $0, unreadable: error) }
    }
    var findings: [SessionFinding] = []
    for session in sessions {
      do throws(SystemError) {
        findings.append(try files.finding(of: session.id))
      } catch {
        findings.append(Self.finding(of: session, unreadable: error))
      }
    }
    return findings
  }

  private static func finding(
    of session: SessionEntity, unreadable error: SystemError
  ) -> SessionFinding {
    if error.code == .notFound { return .dead }
    return ThisProcess.isAlive(session.processID) ? .alive : .dead
  }

  package func deadSessions() -> [SessionID] { UncleanEnd.deadSessions(in: directory) }

  package func removeLeftovers(of sessions: [SessionID]) {
    guard !sessions.isEmpty, let files = try? SessionDirectory(directory) else { return }
    for id in sessions { files.removeUnlessLocked(id) }
  }
}
