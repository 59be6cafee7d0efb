/// The registry of a store that only one process can open. It finds no dead sessions, because none outlives
/// the store.
package struct UnwatchedSessions: SessionRegistry {
  package init() {}

  package func begin(_ session: SessionID) -> any SessionHold { UnwatchedSession() }

  package func findings(of sessions: [SessionEntity]) -> [SessionFinding] {
    Array(repeating: .alive, count: sessions.count)
  }

  package func deadSessions() -> [SessionID] { [] }

  package func removeLeftovers(of sessions: [SessionID]) {}
}

private final class UnwatchedSession: SessionHold {
  func freeze() {}
  func end() {}
}
