import LedgerModel
import Synchronization

/// A registry of the sessions that live in this process. It finds all others dead.
final class InMemorySessions: SessionRegistry {
  private let contents = Mutex<[SessionID: SessionFinding]>([:])

  func begin(_ session: SessionID) -> any SessionHold {
    set(session, .alive)
    return InMemoryHold(of: session, in: self)
  }

  func findings(of sessions: [SessionEntity]) -> [SessionFinding] {
    contents.withLock { known in sessions.map { known[$0.id] ?? .dead } }
  }

  func deadSessions() -> [SessionID] { [] }

  /// Finds frozen sessions dead from now on: those that freeze leave nothing else behind.
  func removeLeftovers(of sessions: [SessionID]) {
    contents.withLock { known in
      for session in sessions where known[session] == .frozen { known[session] = nil }
    }
  }

  fileprivate func set(_ session: SessionID, _ finding: SessionFinding?) {
    contents.withLock { $0[session] = finding }
  }
}

private final class InMemoryHold: SessionHold {
  private let session: SessionID
  private let registry: InMemorySessions

  init(of session: SessionID, in registry: InMemorySessions) {
    self.session = session
    self.registry = registry
  }

  func freeze() { registry.set(session, .frozen) }
  func end() { registry.set(session, nil) }
}
