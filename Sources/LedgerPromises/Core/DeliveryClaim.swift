import Synchronization

/// Holds what lies between a promise and what takes its outcome, from before the outcome is consumed until
/// it has arrived: a timer, a cancellation or another input that comes in between is too late.
///
/// Each promise leaves the claim by being settled. Where the outcome arrives and its promise stays pending,
/// because it waits for something else now, the claim ends as a whole.
final class DeliveryClaim: PromiseHold, @unchecked Sendable {
  // @unchecked because its superclass is; its own state is checked.

  private struct State {
    var holdsWaiter = false
    var hasEnded = false
    var postponed: [@Sendable () -> Void] = []
  }

  private let path: Demand
  private let state = Mutex(State())

  private init(_ path: Demand) {
    self.path = path
  }

  /// Holds what lies on a path; `nil` if something there was settled or held meanwhile.
  static func claim(_ path: Demand) -> DeliveryClaim? {
    let claim = DeliveryClaim(path)
    for core in path.cores {
      switch core.machine.withLock({ $0.place(claim) }) {
      case .placed: core.wasHeld.store(true, ordering: .releasing)
      // Behind a clean-up nothing is held: that may take any time.
      case .passed: return claim
      case .refused:
        claim.end()
        return nil
      }
    }
    if let waiter = path.waiter {
      guard waiter.hold() else {
        claim.end()
        return nil
      }
      claim.state.withLock { $0.holdsWaiter = true }
    }
    return claim
  }

  func end() {
    var watchers: [Waiter] = []
    for core in path.cores {
      watchers += core.machine.withLock { $0.end(self) }
    }
    let (postponed, holdsWaiter) = state.withLock { state in
      let former = state
      state = State(hasEnded: true)
      return (former.postponed, former.holdsWaiter)
    }
    if holdsWaiter { path.waiter?.endHold() }
    for attempt in postponed { attempt() }
    for watcher in watchers { watcher.wake(.settled) }
  }

  override func cancel(_ core: PromiseCore, _ reason: CancellationReason) -> Bool {
    postpone { core.cancel(reason) }
    return false
  }

  override func postpone(_ attempt: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      if !state.hasEnded { state.postponed.append(attempt) }
      return state.hasEnded
    }
    if isLate { attempt() }
  }

  override func comes(from core: PromiseCore) -> Bool {
    path.cores.contains { $0 === core }
  }
}

extension PromiseCore {
  /// Lets go of what lies behind this promise, which got an outcome, from `source` if it has several, and
  /// stays pending.
  func endClaim(from source: PromiseCore? = nil) {
    guard wasHeld.load(ordering: .acquiring),
      let claim = machine.withLock({ $0.hold }) as? DeliveryClaim,
      source.map(claim.comes(from:)) ?? true
    else { return }
    claim.end()
  }
}
