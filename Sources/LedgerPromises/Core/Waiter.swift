import Synchronization

/// One suspended task, or blocked thread, that waits for a promise. It is woken exactly once.
@usableFromInline
final class Waiter: Sendable {
  enum Wake: Sendable {
    case settled
    case detached
  }

  private enum Phase {
    case idle
    case waiting(@Sendable (Wake) -> Void)
    case woken(Wake)
  }

  private struct State {
    var phase = Phase.idle
    /// How many outcomes are on their way; losing interest has to wait for them.
    var holdCount = 0
    var wantsToDetach = false
  }

  private let state = Mutex(State())

  /// Whether the waiter lost interest, so that its observer can be swept out.
  var isDetached: Bool {
    state.withLock { state in
      if case .woken(.detached) = state.phase { true } else { false }
    }
  }

  /// Whether the waiter was not woken, and does not want to lose interest.
  var isInterested: Bool {
    state.withLock { state in
      if case .woken = state.phase { false } else { !state.wantsToDetach }
    }
  }

  /// Calls `body` once woken, possibly at once.
  func wait(_ body: @escaping @Sendable (Wake) -> Void) {
    let wake = state.withLock { state -> Wake? in
      if case .woken(let wake) = state.phase { return wake }
      state.phase = .waiting(body)
      return nil
    }
    if let wake { body(wake) }
  }

  /// Wakes the waiter; `false` if it was woken before, or is held and has to wait for the outcome.
  @discardableResult
  func wake(_ wake: Wake) -> Bool {
    let (body, isFirst) = state.withLock { state -> ((@Sendable (Wake) -> Void)?, Bool) in
      if wake == .detached, state.holdCount > 0 {
        state.wantsToDetach = true
        return (nil, false)
      }
      switch state.phase {
      case .woken:
        return (nil, false)
      case .idle:
        state.phase = .woken(wake)
        return (nil, true)
      case .waiting(let body):
        state.phase = .woken(wake)
        return (body, true)
      }
    }
    body?(wake)
    return isFirst
  }

  /// Keeps the waiter from losing interest; `false` if it has, or wants to.
  func hold() -> Bool {
    state.withLock { state in
      if case .woken = state.phase { return false }
      guard !state.wantsToDetach else { return false }
      state.holdCount += 1
      return true
    }
  }

  /// Lets the waiter lose interest again; returns whether it does, because it wanted to meanwhile.
  func endHold() -> Bool {
    let wantsToDetach = state.withLock { state in
      state.holdCount -= 1
      return state.wantsToDetach && state.holdCount == 0
    }
    return wantsToDetach && wake(.detached)
  }
}
