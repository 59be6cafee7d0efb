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
        claim.giveUp()
        return nil
      }
    }
    if let waiter = path.waiter {
      guard waiter.hold() else {
        claim.giveUp()
        return nil
      }
      claim.state.withLock { $0.holdsWaiter = true }
    }
    return claim
  }

  func end() {
    letGo()()
  }

  /// Ends a claim that could not be placed as a whole.
  ///
  /// The thread that claims may hold up every writer, so what was postponed meanwhile, and may run callbacks,
  /// runs elsewhere.
  private func giveUp() {
    let rest = letGo()
    Task { rest() }
  }

  /// Holds nothing any more; returns what is left to do.
  private func letGo() -> @Sendable () -> Void {
    var watchers: [Waiter] = []
    for core in path.cores {
      watchers += core.machine.withLock { $0.end(self) }
    }
    let (postponed, holdsWaiter) = state.withLock { state in
      let former = state
      state = State(hasEnded: true)
      return (former.postponed, former.holdsWaiter)
    }
    return { [path, watchers] in
      if holdsWaiter, path.waiter?.endHold() == true { path.cores.last?.detachObserver() }
      for attempt in postponed { attempt() }
      for watcher in watchers { watcher.wake(.settled) }
    }
  }

  override func cancel(_ core: PromiseCore, _ reason: CancellationReason) -> CancelAnswer {
    postpone { core.cancel(reason) }
    return .late
  }

  override func postpone(_ attempt: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      if !state.hasEnded { state.postponed.append(attempt) }
      return state.hasEnded
    }
    if isLate { attempt() }
  }

  /// Whether the outcome has come as far as `core`, by way of `source`.
  fileprivate func hasReached(_ core: PromiseCore, from source: PromiseCore?) -> Bool {
    guard let place = path.cores.firstIndex(where: { $0 === core }) else { return false }
    guard place > 0 else { return true }
    let previous = path.cores[place - 1]
    return previous.isSettled && (source == nil || source === previous)
  }
}

extension PromiseCore {
  /// The claim whose outcome has come to this promise.
  ///
  /// - Parameter source: What gave its outcome to this promise. A promise with several inputs must name it,
  ///   because another input has no say in the claim, also if the outcome is just about to arrive.
  func arrivedClaim(from source: PromiseCore?) -> DeliveryClaim? {
    guard wasHeld.load(ordering: .acquiring),
      let claim = machine.withLock({ $0.hold }) as? DeliveryClaim,
      claim.hasReached(self, from: source)
    else { return nil }
    return claim
  }

  /// Lets go of what lies behind this promise if the outcome that was on its way has come here, and the
  /// promise stays pending.
  func endClaim(from source: PromiseCore? = nil) {
    arrivedClaim(from: source)?.end()
  }
}
