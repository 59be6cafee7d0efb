import Synchronization

/// Holds the promise behind a clean-up until that is over: a request to cancel it goes to what is cleaned
/// up after.
final class CleanUpHold: PromiseHold, @unchecked Sendable {
  // @unchecked because its superclass is; its own state is checked.

  private struct State {
    var reason: CancellationReason?
    var isOver = false
  }

  private let state = Mutex(State())
  /// Weakly, because it keeps its observer, and that keeps this.
  private weak let source: PromiseCore?

  init(of target: PromiseCore, after source: PromiseCore) {
    self.source = source
    super.init()
    _ = target.machine.withLock { $0.place(self) }
  }

  override var letsOutcomesPass: Bool {
    state.withLock { $0.reason == nil && !$0.isOver }
  }

  override func cancel(_ core: PromiseCore, _ reason: CancellationReason) -> Bool {
    let isFirst = state.withLock { state in
      guard !state.isOver, state.reason == nil else { return false }
      state.reason = reason
      return true
    }
    if isFirst { source?.cancel(reason) }
    return isFirst
  }

  /// Why the promise behind the clean-up was to be cancelled, if it was; from now on it is too late.
  func end() -> CancellationReason? {
    state.withLock { state in
      state.isOver = true
      return state.reason
    }
  }
}
