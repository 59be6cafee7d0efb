import Synchronization

/// Leads from a promise to the one with a time limit behind it, and lets go of that once it is settled.
///
/// The first one may stay pending for long, and is observed still, for an outcome that comes too late.
final class TimeLimit<Value: Sendable>: Sendable {
  private enum State {
    case running(PromiseStorage<Value>)
    /// The promise behind is settled.
    case over(hasRunOut: Bool)
  }

  private let state: Mutex<State>

  init(_ target: PromiseStorage<Value>) {
    self.state = Mutex(.running(target))
  }

  /// Settles the promise behind as the source was settled; returns whether the time had run out before.
  func sourceDidSettle(
    _ source: PromiseStorage<Value>, _ fate: Fate, in context: DrainContext
  ) -> Bool {
    switch state.withLock({ $0 }) {
    case .running(let target):
      if case .asked(let question) = fate {
        target.answer(question)
        return false
      }
      if hasRunOut(target) { return true }
      target.settle(like: source, fate: fate, in: context)
      return false
    case .over(let hasRunOut):
      return !fate.answer(nil) && hasRunOut
    }
  }

  /// Lets go of the promise behind, which is settled.
  func end() {
    guard case .running(let target) = state.withLock({ $0 }) else { return }
    let hasRunOut = hasRunOut(target)
    // Released without the lock.
    withExtendedLifetime(target) { state.withLock { $0 = .over(hasRunOut: hasRunOut) } }
  }

  /// Whether the timer settled the promise behind, rather than a request to cancel it. Before the source is
  /// settled nothing else does.
  private func hasRunOut(_ target: PromiseStorage<Value>) -> Bool {
    target.isSettled && !target.machine.withLock { $0.wasRequested }
  }
}
