import Synchronization

/// Holds the promise behind a clean-up until that is over: a request to cancel it goes to what is cleaned
/// up after.
final class CleanUpHold: PromiseHold, @unchecked Sendable {
  // @unchecked because its superclass is; its own state is checked.

  private struct State {
    var isCancelled = false
    /// Set if the request came too late for what is cleaned up after.
    var reason: CancellationReason?
    var isOver = false
  }

  private let state = Mutex(State())
  /// Weakly, because it keeps its observer, and that keeps this.
  private weak let source: PromiseCore?

  init(of target: PromiseCore, after source: PromiseCore) {
    self.source = source
    super.init()
    target.machine.withLock { $0.place(self) }
  }

  override var admitsOutcomes: Bool {
    state.withLock { !$0.isCancelled && !$0.isOver }
  }

  override func cancel(_ core: PromiseCore, _ reason: CancellationReason) -> CancelAnswer? {
    // In a loop, because any number of clean-ups may follow one another.
    var holds = [self]
    var source = self.source
    while let hold = source?.cleanUpHold {
      holds.append(hold)
      source = hold.source
    }
    var answer = source?.requestCancellation(reason) ?? .refused
    for hold in holds.reversed() { answer = hold.note(reason, answer) }
    return answer
  }

  /// Notes a request, after what is cleaned up after has answered it; returns the answer of this one.
  private func note(_ reason: CancellationReason, _ answer: CancelAnswer) -> CancelAnswer {
    guard answer != .late else { return .late }
    return state.withLock { state in
      // Then the outcome of the source says why.
      if answer == .accepted {
        state.isCancelled = true
        return .accepted
      }
      guard !state.isOver, !state.isCancelled else { return .refused }
      state.isCancelled = true
      state.reason = reason
      return .accepted
    }
  }

  /// Why the promise behind the clean-up was to be cancelled while that ran, if it was; from now on it is
  /// too late.
  func end() -> CancellationReason? {
    state.withLock { state in
      state.isOver = true
      return state.reason
    }
  }
}

extension PromiseCore {
  fileprivate var cleanUpHold: CleanUpHold? { machine.withLock { $0.hold } as? CleanUpHold }
}
