import Synchronization

/// The instances of sessions, each looked up once. They never change, and many promises share a few sessions.
final class SessionInstances: Sendable {
  private let known: Mutex<[SessionID: String]>

  /// - Parameter instance: The instance of `session`, which is this session.
  init(_ session: SessionID, _ instance: String) {
    known = Mutex([session: instance])
  }

  func known(_ session: SessionID) -> String? { known.withLock { $0[session] } }

  /// The instances of the sessions that have a record that this build can read.
  func names(
    of sessions: Set<SessionID>, in engine: LedgerEngine
  ) async throws -> [SessionID: String] {
    let known = known.withLock { $0 }
    let missing = sessions.filter { known[$0] == nil }
    guard !missing.isEmpty else { return known }
    let needs = SnapshotNeeds(ids: Set(missing.map(\.entityID)))
    let found = try await engine.read(needs: needs) { state in
      var found: [SessionID: String] = [:]
      for id in missing { found[id] = try state.readableSession(id)?.opened.instance }
      return found
    }
    return self.known.withLock { known in
      known.merge(found) { old, _ in old }
      return known
    }
  }
}
