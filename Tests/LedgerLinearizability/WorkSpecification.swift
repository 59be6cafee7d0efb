/// A request about work, or what happens to it.
package enum WorkRequest: Sendable, Hashable {
  case start
  case cancel(reason: String)
  /// An operator settles it in place of its code.
  case force(outcome: String)
  case read
  /// Waits for the outcome.
  case outcome
  /// Its code returned a value in some process.
  case codeReturns(value: String)
}

/// The rules of work without steps, as far as they show in its promise.
package enum WorkSpecification: Specification {
  package typealias Request = WorkRequest

  package enum State: Sendable, Hashable {
    case absent
    case open
    /// The code runs, and was asked to end.
    case cancelling(reason: String)
    case settled(outcome: String)
  }

  package static var initial: State { .absent }

  package static func ways(of request: Request, in state: State) -> [Way<State>] {
    // Code that was asked to end does so at a moment that no caller sees.
    if case .cancelling(let reason) = state {
      return visibleWays(of: request, in: state)
        + visibleWays(of: request, in: .settled(outcome: "cancelled:\(reason)"))
    }
    return visibleWays(of: request, in: state)
  }

  private static func visibleWays(of request: Request, in state: State) -> [Way<State>] {
    switch request {
    case .start: return [Way("started", state == .absent ? .open : state)]
    case .cancel(let reason):
      switch state {
      case .absent: return [Way("notFound", state)]
      // The code may be running or not.
      case .open:
        return [
          Way("cancelled", .settled(outcome: "cancelled:\(reason)")),
          Way("requested", .cancelling(reason: reason)),
        ]
      case .cancelling:
        return [
          Way("cancelled", .settled(outcome: "cancelled:\(reason)")), Way("requested", state),
        ]
      case .settled(let outcome): return [Way("alreadyEnded \(outcome)", state)]
      }
    case .force(let forced):
      switch state {
      case .absent: return [Way("notFound", state)]
      case .open, .cancelling: return [Way("resolved", .settled(outcome: forced))]
      case .settled(let outcome): return [Way("alreadyResolved \(outcome)", state)]
      }
    case .read:
      switch state {
      case .absent: return [Way("none", state)]
      case .open, .cancelling: return [Way("pending", state)]
      case .settled(let outcome): return [Way("resolved \(outcome)", state)]
      }
    case .outcome:
      switch state {
      case .absent: return [Way("notFound", state)]
      case .open, .cancelling: return []
      case .settled(let outcome): return [Way("value \(outcome)", state)]
      }
    case .codeReturns(let value):
      switch state {
      case .open, .cancelling: return [Way("", .settled(outcome: "fulfilled:\(value)"))]
      case .absent, .settled: return []
      }
    }
  }
}
