import Synchronization

/// Holds what lies between a promise and what takes its outcome, from before the outcome is consumed until
/// it has arrived: a timer, a cancellation or another input that comes in between is too late.
///
/// Each promise leaves the claim by being settled. Where the outcome arrives and its promise stays pending,
/// because it waits for something else now, the claim lets go of it and of all behind it. A promise in front
/// of that is held until it is settled itself: another input may have come first, while the consumption of
/// this one is being written.
final class DeliveryClaim: PromiseHold, @unchecked Sendable {
  // @unchecked because its superclass is; its own state is checked.

  private struct State {
    var holdsWaiter = false
    /// The first step that is being let go of; said before it is, so that no step is placed afterwards.
    var firstLeaving = Int.max
    /// The first step that was let go of, at which no attempt waits any more.
    var firstLeft = Int.max
    var postponed: [@Sendable () -> Void] = []
  }

  private let path: Demand
  private let state = Mutex(State())

  private init(_ path: Demand) {
    self.path = path
  }

  /// Holds what lies on a path; `nil` if something there was settled or held meanwhile.
  ///
  /// - Parameter placed: Called with each step that is held, for tests of what comes in between.
  static func claim(_ path: Demand, placed: (Int) -> Void = { _ in }) -> DeliveryClaim? {
    let claim = DeliveryClaim(path)
    guard claim.holdSteps(placed), claim.isWhole else {
      claim.giveUp()
      return nil
    }
    return claim
  }

  /// - Returns: Whether nothing refused to be held.
  private func holdSteps(_ placed: (Int) -> Void) -> Bool {
    var source: PromiseCore?
    for (index, step) in path.steps.enumerated() {
      let place = ClaimPlace(claim: self, index: index, source: source, edge: step.edge)
      switch step.core.machine.withLock({ $0.place(place) }) {
      case .placed: step.core.wasHeld.store(true, ordering: .releasing)
      // Behind a clean-up nothing is held: that may take any time.
      case .passed: return true
      case .refused: return false
      }
      placed(index)
      source = step.core
    }
    if let waiter = path.waiter {
      guard waiter.hold() else { return false }
      state.withLock { $0.holdsWaiter = true }
    }
    return true
  }

  /// Whether nothing came to a step, by way of another input, while the steps were being held: what came
  /// before a step was held did not find the claim there.
  ///
  /// Asked under the locks: a promise that is settled later then finds that the one behind it is held.
  private var isWhole: Bool {
    !path.steps.dropLast().contains { $0.core.machine.withLock { $0.isSettled } }
      && state.withLock { $0.firstLeaving == .max }
  }

  /// Lets go of a step and of all behind it.
  func end(from first: Int = 0) {
    letGo(from: first)()
  }

  /// Ends a claim that could not be placed as a whole.
  ///
  /// The thread that claims may hold up every writer, so what was postponed meanwhile, and may run callbacks,
  /// runs elsewhere.
  private func giveUp() {
    let rest = letGo(from: 0)
    Task { rest() }
  }

  /// Holds a step and all behind it no more; returns what is left to do.
  private func letGo(from first: Int) -> @Sendable () -> Void {
    state.withLock { $0.firstLeaving = min($0.firstLeaving, first) }
    var watchers: [PromiseStateMachine.Watcher] = []
    for step in path.steps[first...] {
      watchers += step.core.machine.withLock { $0.end(self) }
    }
    let (postponed, holdsWaiter) = state.withLock { state in
      let former = state
      state.firstLeft = min(state.firstLeft, first)
      state.holdsWaiter = false
      // All try again: those at a step that is still held wait again.
      state.postponed = []
      return (former.postponed, former.holdsWaiter)
    }
    return { [path, watchers] in
      if holdsWaiter, path.waiter?.endHold() == true { path.steps.last?.core.detachObserver() }
      for attempt in postponed { attempt() }
      for watcher in watchers { watcher() }
    }
  }

  override func cancel(_ core: PromiseCore, _ reason: CancellationReason) -> CancelAnswer? {
    postpone(at: core) { core.cancel(reason) } ? .late : nil
  }

  override func postpone(
    at core: PromiseCore, _ attempt: @escaping @Sendable () -> Void
  ) -> Bool {
    let index = path.steps.firstIndex { $0.core === core } ?? .max
    return state.withLock { state in
      guard index < state.firstLeft else { return false }
      state.postponed.append(attempt)
      return true
    }
  }
}

/// Where the path of a claim leads through a promise.
struct ClaimPlace {
  let claim: DeliveryClaim
  /// Of the promise among the steps of the path.
  let index: Int
  /// The promise before it on the path; `nil` for the first one.
  let source: PromiseCore?
  let edge: Demand.Edge
}

extension PromiseCore {
  /// The claims whose outcome has come to this promise.
  ///
  /// - Parameter source: What gave its outcome to this promise. A promise with several inputs must name it,
  ///   because another input has no say in a claim, also if the outcome is just about to arrive.
  private func arrivedClaims(from source: PromiseCore?) -> [ClaimPlace] {
    guard wasHeld.load(ordering: .acquiring) else { return [] }
    return machine.withLock { machine in
      machine.claims.filter { place in
        guard let previous = place.source else { return true }
        return (source == nil || source === previous) && previous.isSettled
      }
    }
  }

  func hasArrivedClaim(from source: PromiseCore) -> Bool {
    !arrivedClaims(from: source).isEmpty
  }

  /// Lets go of what lies behind this promise if the outcome that was on its way has come here, and the
  /// promise stays pending.
  func endClaims(from source: PromiseCore? = nil) {
    for place in arrivedClaims(from: source) { place.claim.end(from: place.index) }
  }

  /// The same for one of several inputs, once all observers of the input had their turn: it may be there more
  /// than once.
  func endClaims(from input: PromiseCore, in context: DrainContext) {
    guard wasHeld.load(ordering: .acquiring) else { return }
    let end = Observer { [self] _, _ in endClaims(from: input) }
    context.pushDirect(Job(end, fate: .fulfilled))
  }
}
