import LedgerModel
import Synchronization

/// A registry of sessions, all of which live in this process.
final class ShelfSessions: SessionRegistry {
  private let known = Mutex<[SessionID: SessionFinding]>([:])

  func begin(_ session: SessionID) -> any SessionHold {
    note(session, .alive)
    return Hold(session, self)
  }

  func findings(of sessions: [SessionRecord]) -> [SessionFinding] {
    known.withLock { known in sessions.map { known[$0.id] ?? .dead } }
  }

  func deadSessions() -> [SessionID] { [] }

  func removeLeftovers(of sessions: [SessionID]) {
    known.withLock { known in
      for session in sessions where known[session] == .frozen { known[session] = nil }
    }
  }

  fileprivate func note(_ session: SessionID, _ finding: SessionFinding?) {
    known.withLock { $0[session] = finding }
  }
}

private final class Hold: SessionHold {
  private let session: SessionID
  private let sessions: ShelfSessions

  init(_ session: SessionID, _ sessions: ShelfSessions) {
    self.session = session
    self.sessions = sessions
  }

  func freeze() { sessions.note(session, .frozen) }
  func end() { sessions.note(session, nil) }
}
