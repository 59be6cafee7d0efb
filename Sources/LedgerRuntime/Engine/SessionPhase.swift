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
    /// The time of the newest freeze, while the session is frozen.
    var frozenSince: Duration?
    /// How long earlier freezes lasted together.
    var frozenTime = Duration.zero
  }

  private let contents = Mutex(Contents())
  private let uptime: @Sendable () -> Duration

  /// - Parameter clock: The clock of the session. Unless a test moves it, another one measures how long something
  ///   takes: one that cannot be set.
  package init(_ clock: (any LedgerClock)?) {
    if let clock = clock as? any MovedLedgerClock {
      let start = clock.now()
      uptime = { clock.now() - start }
    } else {
      let start = ContinuousClock().now
      uptime = { ContinuousClock().now - start }
    }
  }

  package var current: Phase { contents.withLock { $0.phase } }

  /// The store, while the session is open.
  package var store: (any EventStore)? {
    if case .open(let store) = current { store } else { nil }
  }

  package func change(to phase: Phase) {
    let now = uptime()
    let thaw = contents.withLock { contents -> Resolver<Void>? in
      contents.phase = phase
      if case .frozen = phase {
        contents.frozenSince = contents.frozenSince ?? now
        return nil
      }
      if let start = contents.frozenSince.take() { contents.frozenTime += now - start }
      return contents.thaw.take()
    }
    thaw?.fulfill(())
  }

  /// A time that stands still while the session is frozen.
  package var unfrozenTime: Duration {
    contents.withLock { ($0.frozenSince ?? uptime()) - $0.frozenTime }
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
