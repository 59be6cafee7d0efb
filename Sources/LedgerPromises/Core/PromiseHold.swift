import Synchronization

/// Keeps a promise from being settled from outside for a while, because its outcome is on its way.
class PromiseHold: @unchecked Sendable {
  // @unchecked because a class with subclasses cannot be checked; they have locked state.

  init() {}

  /// Whether an outcome that comes now still goes on behind the promise.
  var admitsOutcomes: Bool { false }

  /// Answers a request to cancel the promise; `nil` if the hold has ended.
  func cancel(_ core: PromiseCore, _ reason: CancellationReason) -> CancelAnswer? { .refused }

  /// Makes another attempt to settle a promise wait for the end of the hold; `false` if that has come.
  func postpone(at core: PromiseCore, _ attempt: @escaping @Sendable () -> Void) -> Bool { true }
}

/// The answer to a request to cancel a promise.
enum CancelAnswer {
  case accepted
  /// The promise is settled, or to be cancelled already.
  case refused
  /// The outcome of the promise is on its way, and the request comes too late.
  case late
}

extension PromiseCore {
  /// Makes an attempt to settle this promise from outside; while it is held, the attempt waits for the end
  /// of that, and counts only if the promise was not settled by then.
  func settleFromOutside(_ attempt: @escaping @Sendable () -> SettleResult) {
    while attempt().isHeld {
      let isPostponed = machine.withLock { $0.hold }?.postpone(at: self) { [self] in
        settleFromOutside(attempt)
      }
      if isPostponed == true { return }
    }
  }
}
