import Synchronization

/// Resolving a promise with another one.
extension PromiseCore {
  /// Writes down that this promise follows another.
  func beginFollowing(_ other: PromiseCore, byResolver: Bool) -> SettleResult {
    switch machine.withLock({ $0.follow(other, by: byResolver ? .resolver : .library) }) {
    case .follow:
      // The outcome that was on its way has arrived, and this promise waits for another one now.
      endClaims()
      return SettleResult(didSettle: true)
    case .refused(let wasCancelled):
      return SettleResult(didSettle: false, wasCancelled: wasCancelled)
    }
  }

  /// Whether following `other` leads back to this promise, or into a cycle that others just closed.
  ///
  /// Each promise first writes down the one that it follows and looks afterwards, so of several threads that
  /// close one cycle together at least one sees it whole.
  func leadsBack(from other: PromiseCore) -> Bool {
    var core = other
    while core !== self {
      guard let next = core.shortenedUpstream() else { return false }
      if next === core { return true }
      core = next
    }
    return true
  }

  /// The promise that this one follows. Skips one on the way, for the next reader, so that walking long
  /// lines of followers again and again does not cost their square.
  private func shortenedUpstream() -> PromiseCore? {
    guard let next = machine.withLock({ $0.upstream }) else { return nil }
    guard let far = next.machine.withLock({ $0.upstream }) else { return next }
    let released = machine.withLock { $0.shorten(next, to: far) }
    return released == nil ? next : far
  }
}
