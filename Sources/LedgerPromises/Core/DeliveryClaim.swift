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
    var source: PromiseCore?
    for step in path.steps {
      let place = ClaimPlace(claim: claim, source: source, edge: step.edge)
      switch step.core.machine.withLock({ $0.place(place) }) {
      case .placed: step.core.wasHeld.store(true, ordering: .releasing)
      // Behind a clean-up nothing is held: that may take any time.
      case .passed: return claim
      case .refused:
        claim.giveUp()
        return nil
      }
      source = step.core
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
    var watchers: [PromiseStateMachine.Watcher] = []
    for step in path.steps {
      watchers += step.core.machine.withLock { $0.end(self) }
    }
    let (postponed, holdsWaiter) = state.withLock { state in
      let former = state
      state = State(hasEnded: true)
      return (former.postponed, former.holdsWaiter)
    }
    return { [path, watchers] in
      if holdsWaiter, path.waiter?.endHold() == true { path.steps.last?.core.detachObserver() }
      for attempt in postponed { attempt() }
      for watcher in watchers { watcher() }
    }
  }

  override func cancel(_ core: PromiseCore, _ reason: CancellationReason) -> CancelAnswer? {
    postpone { core.cancel(reason) } ? .late : nil
  }

  override func postpone(_ attempt: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      if !state.hasEnded { state.postponed.append(attempt) }
      return !state.hasEnded
    }
  }
}

/// Where the path of a claim leads through a promise.
struct ClaimPlace {
  let claim: DeliveryClaim
  /// The promise before it on the path; `nil` for the first one.
  let source: PromiseCore?
  let edge: Demand.Edge
}

extension PromiseCore {
  /// The claims whose outcome has come to this promise.
  ///
  /// - Parameter source: What gave its outcome to this promise. A promise with several inputs must name it,
  ///   because another input has no say in a claim, also if the outcome is just about to arrive.
  private func arrivedClaims(from source: PromiseCore?) -> [DeliveryClaim] {
    guard wasHeld.load(ordering: .acquiring) else { return [] }
    return machine.withLock { machine in
      machine.claims.compactMap { place in
        guard let previous = place.source else { return place.claim }
        return (source == nil || source === previous) && previous.isSettled ? place.claim : nil
      }
    }
  }

  func hasArrivedClaim(from source: PromiseCore) -> Bool {
    !arrivedClaims(from: source).isEmpty
  }

  /// Lets go of what lies behind this promise if the outcome that was on its way has come here, and the
  /// promise stays pending.
  func endClaims(from source: PromiseCore? = nil) {
    for claim in arrivedClaims(from: source) { claim.end() }
  }

  /// The same for one of several inputs, once all observers of the input had their turn: it may be there more
  /// than once.
  func endClaims(from input: PromiseCore, in context: DrainContext) {
    guard wasHeld.load(ordering: .acquiring) else { return }
    let end = Observer { [self] _, _ in endClaims(from: input) }
    context.pushDirect(Job(end, fate: .fulfilled))
  }
}
