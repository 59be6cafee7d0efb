import Synchronization

/// Keeps a promise from being settled from outside for a while, because its outcome is on its way.
class PromiseHold: @unchecked Sendable {
  // @unchecked because a class with subclasses cannot be checked; they have locked state.

  init() {}

  /// Whether an outcome that comes now still goes on behind the promise.
  var letsOutcomesPass: Bool { false }

  /// Answers a request to cancel the promise; returns whether the promise will be cancelled by it.
  func cancel(_ core: PromiseCore, _ reason: CancellationReason) -> Bool { false }

  /// Makes another attempt to settle the promise wait for the end of the hold.
  func postpone(_ attempt: @escaping @Sendable () -> Void) {}

  /// Whether the outcome that is on its way comes from this promise.
  func comes(from core: PromiseCore) -> Bool { true }
}

extension PromiseCore {
  /// Whether this promise is held because an outcome is on its way that comes from `source`.
  func isHeld(forOutcomeOf source: PromiseCore) -> Bool {
    machine.withLock { $0.hold }?.comes(from: source) ?? false
  }

  /// Makes an attempt to settle this promise from outside; while it is held, the attempt waits for the end
  /// of that, and counts only if the promise was not settled by then.
  func settleFromOutside(_ attempt: @escaping @Sendable () -> SettleResult) {
    while attempt().isHeld {
      guard let hold = machine.withLock({ $0.hold }) else { continue }
      return hold.postpone { [self] in settleFromOutside(attempt) }
    }
  }
}
