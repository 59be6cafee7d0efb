import Synchronization

/// Observers whose work is done otherwise, on a promise that may stay pending for long.
extension PromiseCore {
  /// Notes that a detachable observer has nothing to do any more, because what it waited for has come from
  /// elsewhere. Such observers are let go of together, from time to time.
  ///
  /// - Complexity: O(1) on average.
  func detachObserver() {
    guard machine.withLock({ $0.observerDidDetach() }) else { return }
    let question = TakerAnswer()
    while true {
      let (observers, removalCount) = machine.withLock { $0.listObservers() }
      let idle = observers.indices.filter { isIdle(observers[$0], question) }
      guard !idle.isEmpty else { return }
      let released = machine.withLock {
        $0.removeObservers(at: Set(idle), ifRemovalsAre: removalCount)
      }
      // Otherwise another thread has taken out some, and the places are those of other observers.
      if !released.isEmpty { return }
    }
  }

  private func isIdle(_ observer: Observer, _ question: TakerAnswer) -> Bool {
    guard observer.triggers.contains(.detachable) else { return false }
    return switch question.ask(observer, of: self, isFulfilment: true) {
    case .nothing: true
    case .waiter(let waiter): waiter.isDetached
    case .promise(let target, _): target.isSettled
    case .anything, .executorGone: false
    }
  }
}
