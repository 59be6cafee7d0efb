/// A request about a promise.
package enum PromiseRequest: Sendable, Hashable {
  case create(isStrict: Bool)
  /// The outcome is a word such as `fulfilled:3`.
  case settle(outcome: String, key: String?, isStrict: Bool)
  case abandon
  /// Waits for the outcome, and consumes it for a session.
  case consume(session: String)
  /// Waits for the outcome, in order to handle it and then consume it. Nothing is recorded yet, so several
  /// calls of one session may handle the outcome.
  case handle
  /// Consumes an outcome that a session has handled.
  case consumeHandled(session: String)
  case read
  /// Waits for the outcome.
  case outcome
}

/// The rules of a promise.
package enum PromiseSpecification: Specification {
  package typealias Request = PromiseRequest

  package struct State: Sendable, Hashable {
    enum Phase: Sendable, Hashable {
      case absent, pending, settled, abandoned
      case consumed(by: String)
    }

    var phase = Phase.absent
    var outcome = ""
    /// The key of the request that settled it.
    var key: String?

    func with(_ phase: Phase) -> State {
      var changed = self
      changed.phase = phase
      return changed
    }
  }

  package static var initial: State { State() }

  package static func ways(of request: Request, in state: State) -> [Way<State>] {
    switch request {
    case .create(let isStrict):
      if state.phase == .absent { return [Way("created", state.with(.pending))] }
      return [Way(isStrict && state.phase != .pending ? "conflict" : "deduplicated", state)]
    case .settle(let outcome, let key, let isStrict):
      return [settle(state, outcome, key, isStrict)]
    case .abandon:
      switch state.phase {
      case .absent: return [Way("notFound", state)]
      case .consumed: return [Way("alreadyConsumed", state)]
      case .pending, .settled, .abandoned: return [Way("abandoned", state.with(.abandoned))]
      }
    case .consume(let session), .consumeHandled(let session): return consume(state, session)
    case .handle:
      switch state.phase {
      case .absent: return [Way("notFound", state)]
      case .pending: return []
      case .settled: return [Way("runs \(state.outcome)", state)]
      case .consumed: return [Way("alreadyConsumed", state)]
      case .abandoned: return [Way("promiseAbandoned", state)]
      }
    case .read:
      switch state.phase {
      case .absent: return [Way("none", state)]
      case .pending: return [Way("pending", state)]
      case .settled: return [Way("resolved \(state.outcome)", state)]
      case .consumed: return [Way("consumed \(state.outcome)", state)]
      case .abandoned: return [Way("abandoned", state)]
      }
    case .outcome:
      switch state.phase {
      case .absent: return [Way("notFound", state)]
      case .pending: return []
      case .settled, .consumed: return [Way("value \(state.outcome)", state)]
      case .abandoned: return [Way("promiseAbandoned", state)]
      }
    }
  }

  private static func settle(
    _ state: State, _ outcome: String, _ key: String?, _ isStrict: Bool
  ) -> Way<State> {
    switch state.phase {
    case .absent: return Way("notFound", state)
    case .pending:
      return Way("resolved", State(phase: .settled, outcome: outcome, key: key))
    case .abandoned: return Way("abandoned", state)
    case .settled, .consumed:
      let isRepetition =
        key != nil && key == state.key
        && (!isStrict || kind(of: outcome) == kind(of: state.outcome))
      return Way("\(isRepetition ? "deduplicated" : "alreadyResolved") \(state.outcome)", state)
    }
  }

  private static func kind(of outcome: String) -> Substring { outcome.prefix { $0 != ":" } }

  /// The session that consumed the promise gets the outcome again.
  private static func consume(_ state: State, _ session: String) -> [Way<State>] {
    switch state.phase {
    case .absent: return [Way("notFound", state)]
    case .pending: return []
    case .settled: return [Way("value \(state.outcome)", state.with(.consumed(by: session)))]
    case .consumed(let consumer):
      return [Way(consumer == session ? "value \(state.outcome)" : "alreadyConsumed", state)]
    case .abandoned: return [Way("promiseAbandoned", state)]
    }
  }
}
