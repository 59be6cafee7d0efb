import Synchronization

/// One suspended task, or blocked thread, that waits for a promise. It is woken exactly once.
@usableFromInline
final class Waiter: Sendable {
  enum Wake: Sendable {
    case settled
    case detached
  }

  private enum State {
    case idle
    case waiting(@Sendable (Wake) -> Void)
    case woken(Wake)
  }

  private let state = Mutex(State.idle)

  /// Whether the waiter lost interest, so that its observer can be swept out.
  var isDetached: Bool {
    state.withLock { state in
      if case .woken(.detached) = state { true } else { false }
    }
  }

  /// Calls `body` once woken, possibly at once.
  func wait(_ body: @escaping @Sendable (Wake) -> Void) {
    let wake = state.withLock { state -> Wake? in
      if case .woken(let wake) = state { return wake }
      state = .waiting(body)
      return nil
    }
    if let wake { body(wake) }
  }

  /// Wakes the waiter; `false` if it was woken before.
  @discardableResult
  func wake(_ wake: Wake) -> Bool {
    let (body, isFirst) = state.withLock { state -> ((@Sendable (Wake) -> Void)?, Bool) in
      switch state {
      case .woken:
        return (nil, false)
      case .idle:
        state = .woken(wake)
        return (nil, true)
      case .waiting(let body):
        state = .woken(wake)
        return (body, true)
      }
    }
    body?(wake)
    return isFirst
  }
}
