import LedgerPromises
import Synchronization

/// The phase of a session between open and closed, and the tasks that wait for it to thaw.
package final class SessionPhase: Sendable {
  package enum Phase: Sendable {
    case open(any EventStore)
    case frozen
    case closed(LedgerError)
  }

  private struct Contents {
    var phase = Phase.frozen
    /// Settles once the session is no longer frozen. It is made when a task begins to wait.
    var thaw: Resolver<Void>?
  }

  private let contents = Mutex(Contents())

  package init() {}

  package var current: Phase { contents.withLock { $0.phase } }

  /// The store, while the session is open.
  package var store: (any EventStore)? {
    if case .open(let store) = current { store } else { nil }
  }

  package func change(to phase: Phase) {
    let thaw = contents.withLock { contents -> Resolver<Void>? in
      contents.phase = phase
      if case .frozen = phase { return nil }
      return contents.thaw.take()
    }
    thaw?.fulfill(())
  }

  /// Waits until the session is no longer frozen, or the task is cancelled.
  package func waitWhileFrozen() async throws {
    let thaw = contents.withLock { contents -> Promise<Void>? in
      guard case .frozen = contents.phase else { return nil }
      let resolver = contents.thaw ?? Promise.make(of: Void.self, on: .inline).resolver
      contents.thaw = resolver
      return resolver.promise
    }
    try await thaw?.value
    try Task.checkCancellation()
  }
}
