/// A request about a handler, or what happens to one.
///
/// A call has two moments: its start, from which it keeps its arguments, and its end. The code notes when it
/// runs, so a history has a request for each.
package enum HandlerRequest: Sendable, Hashable {
  case create(value: String, isRepeating: Bool)
  case rebind(value: String)
  case invalidate
  /// A session starts a call, which has an id.
  case start(session: String, call: String)
  /// The call of a session ends.
  case finish(session: String, call: String)
  case read
  /// The session is found dead, so its call is given back.
  case sessionEnds(String)
  /// The outcome of a commit is unknown to the session, so its call is no longer run, but still its own.
  case isLeft(call: String)
}

/// The rules of a handler with one argument and without invalidation code.
package enum HandlerSpecification: Specification {
  package typealias Request = HandlerRequest

  package struct State: Sendable, Hashable {
    enum Status: String, Sendable {
      case absent = "none"
      case active, finished, invalidated
    }

    /// The unfinished call of a one-shot handler, with the argument of its first start.
    enum Call: Sendable, Hashable {
      case running(session: String, call: String, value: String)
      case left(session: String, value: String)
      case released(value: String)
    }

    var status = Status.absent
    var isRepeating = false
    var bound = ""
    var call: Call?
  }

  package static var initial: State { State() }

  package static func ways(of request: Request, in state: State) -> [Way<State>] {
    var next = state
    switch request {
    case .create(let value, let isRepeating):
      guard state.status == .absent else { return [Way("exists", state)] }
      return [Way("created", State(status: .active, isRepeating: isRepeating, bound: value))]
    case .rebind(let value):
      if let refusal = refusal(in: state) { return [Way(refusal, state)] }
      next.bound = value
      return [Way("rebound", next)]
    case .invalidate:
      if let refusal = refusal(in: state) { return [Way(refusal, state)] }
      next.status = .invalidated
      return [Way("invalidated", next)]
    case .start(let session, let call): return start(state, session, call)
    case .finish(let session, let call):
      if state.isRepeating { return [Way("returned", state)] }
      guard case .running(session, call, _) = state.call else { return [] }
      next.call = nil
      if state.status == .active { next.status = .finished }
      return [Way("returned", next)]
    case .read:
      let bound = state.status == .absent ? "" : " \(state.bound)"
      return [Way("\(state.status.rawValue)\(bound)", state)]
    case .sessionEnds(let session):
      switch state.call {
      case .running(session, _, let value), .left(session, let value):
        next.call = .released(value: value)
      default: return []
      }
      return [Way("", next)]
    case .isLeft(let call):
      guard case .running(let session, call, let value) = state.call else { return [] }
      next.call = .left(session: session, value: value)
      return [Way("", next)]
    }
  }

  private static func refusal(in state: State) -> String? {
    switch state.status {
    case .absent: "handlerNotFound"
    case .active: nil
    case .finished: "handlerFinished"
    case .invalidated: "handlerInvalidated"
    }
  }

  private static func start(_ state: State, _ session: String, _ call: String) -> [Way<State>] {
    if let refusal = refusal(in: state) { return [Way(refusal, state)] }
    if state.isRepeating { return [Way("runs \(state.bound)", state)] }
    let value: String
    switch state.call {
    case nil: value = state.bound
    case .released(let first), .left(session, let first): value = first
    case .running, .left: return [Way("handlerRunning", state)]
    }
    var next = state
    next.call = .running(session: session, call: call, value: value)
    return [Way("runs \(value)", next)]
  }
}
