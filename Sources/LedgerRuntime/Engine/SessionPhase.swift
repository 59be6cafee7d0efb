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
    /// The time of the newest freeze, while the session is frozen and that is recorded.
    var frozenSince: Duration?
    /// How long earlier freezes that were recorded lasted together.
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

  /// Changes the phase.
  ///
  /// - Parameter stopsTime: Whether the time stands still in this phase. It goes on in a freeze that is not recorded:
  ///   by the log the attempts of the session run, and others take them over at their time.
  package func change(to phase: Phase, stopsTime: Bool = false) {
    let now = uptime()
    let thaw = contents.withLock { contents -> Resolver<Void>? in
      contents.phase = phase
      if case .frozen = phase {
        if stopsTime { contents.frozenSince = contents.frozenSince ?? now }
        return nil
      }
      if let start = contents.frozenSince.take() { contents.frozenTime += now - start }
      return contents.thaw.take()
    }
    thaw?.fulfill(())
  }

  /// A time that stands still while the session is frozen, if that is recorded.
  package var unfrozenTime: Duration {
    contents.withLock { ($0.frozenSince ?? uptime()) - $0.frozenTime }
  }

  /// Waits until the session is no longer frozen, or the task is cancelled.
  package func waitWhileFrozen() async throws { try await waitForThaw { _ in true } }

  /// Waits until ``unfrozenTime`` goes on, or the task is cancelled.
  package func waitWhileTimeStands() async throws {
    try await waitForThaw { $0.frozenSince != nil }
  }

  private func waitForThaw(if isNeeded: (Contents) -> Bool) async throws {
    let thaw = contents.withLock { contents -> Promise<Void>? in
      guard case .frozen = contents.phase, isNeeded(contents) else { return nil }
      let resolver = contents.thaw ?? Promise.make(of: Void.self, on: .inline).resolver
      contents.thaw = resolver
      return resolver.promise
    }
    try await thaw?.value
    try Task.checkCancellation()
  }
}
