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
    /// An outcome is on its way, and losing interest has to wait for it.
    var isHeld = false
    var wantsToDetach = false
  }

  private let state = Mutex(State())

  /// Whether the waiter lost interest, so that its observer can be swept out.
  var isDetached: Bool {
    state.withLock { state in
      if case .woken(.detached) = state.phase { true } else { false }
    }
  }

  var isWoken: Bool {
    state.withLock { state in
      if case .woken = state.phase { true } else { false }
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
      if wake == .detached, state.isHeld {
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

  /// Keeps the waiter from losing interest; `false` if it was woken before.
  func hold() -> Bool {
    state.withLock { state in
      if case .woken = state.phase { return false }
      state.isHeld = true
      return true
    }
  }

  /// Lets the waiter lose interest again; returns whether it does, because it wanted to meanwhile.
  func endHold() -> Bool {
    let wantsToDetach = state.withLock { state in
      state.isHeld = false
      return state.wantsToDetach
    }
    return wantsToDetach && wake(.detached)
  }
}
