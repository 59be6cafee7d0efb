import Synchronization

/// Where a session stands between open and closed, and who waits for it to go on.
package final class SessionPhase: Sendable {
  package enum Phase: Sendable {
    case open(any EventStore)
    case frozen
    case closed(LedgerError)
  }

  private struct Contents {
    var phase = Phase.frozen
    var nextToken = 0
    var waiters: [Int: @Sendable () -> Void] = [:]
  }

  private let contents = Mutex(Contents())

  package init() {}

  package var current: Phase { contents.withLock { $0.phase } }

  /// The store, while the session is open.
  package var store: (any EventStore)? {
    if case .open(let store) = current { store } else { nil }
  }

  package func change(to phase: Phase) {
    let waiters = contents.withLock { contents -> [Int: @Sendable () -> Void] in
      contents.phase = phase
      guard case .frozen = phase else {
        defer { contents.waiters = [:] }
        return contents.waiters
      }
      return [:]
    }
    for waiter in waiters.values { waiter() }
  }

  /// Waits until the session is no longer frozen, or the task is cancelled.
  package func waitWhileFrozen() async throws {
    let token = contents.withLock { contents in
      contents.nextToken += 1
      return contents.nextToken
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isFrozen = contents.withLock { contents in
          guard case .frozen = contents.phase else { return false }
          contents.waiters[token] = { continuation.resume() }
          return true
        }
        if !isFrozen { continuation.resume() }
        // A cancellation before the registration found nobody to tell.
        if Task.isCancelled { wake(token) }
      }
    } onCancel: {
      wake(token)
    }
    try Task.checkCancellation()
  }

  private func wake(_ token: Int) {
    contents.withLock { $0.waiters.removeValue(forKey: token) }?()
  }
}
