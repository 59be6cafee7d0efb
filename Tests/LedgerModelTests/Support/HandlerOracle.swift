import LedgerModelTestSupport

@testable import LedgerModel

/// The rules of handlers once more, written apart from the reducer and the commands: plain tables
/// that are changed in place.
struct HandlerOracle: Equatable {
  struct Call: Equatable {
    var attempt: UInt32 = 1
    /// The session that runs it; `nil` if it was given back.
    var runner: Int?
    var isCleanup = false
    /// The value of the bound argument when it began.
    var bound: Int
    var argument: Int
  }

  struct Handler: Equatable {
    var isRepeating: Bool
    var kind: String
    var bound: Int
    var isSpent = false
    var isWithdrawn = false
    var calls: [CallID: Call] = [:]
    var lastEnded: CallID?
  }

  enum Session: Equatable { case open, frozen, ended }

  var handlers: [HandlerID: Handler] = [:]
  /// Whether each promise is resolved.
  var promises: [PromiseID: Bool] = [:]
  var sessions: [Int: Session] = [:]

  static let knownKinds: Set<String> = ["greet", "farewell"]
  static let kindsWithCode: Set<String> = ["greet"]

  private func mayBegin(_ session: Int) -> Bool {
    sessions[session] == .open || sessions[session] == .frozen
  }

  // MARK: Commands

  mutating func create(_ id: HandlerID, isRepeating: Bool, kind: String, bound: Int) -> String {
    if handlers[id] != nil { return "exists" }
    handlers[id] = Handler(isRepeating: isRepeating, kind: kind, bound: bound)
    return "created"
  }

  private func refusal(_ id: HandlerID) -> String? {
    guard let handler = handlers[id] else { return "notFound" }
    if handler.isWithdrawn { return "invalidated" }
    return handler.isSpent ? "finished" : nil
  }

  mutating func rebind(_ id: HandlerID, bound: Int, expectsPresent: Bool) -> String {
    if let refusal = refusal(id) { return refusal }
    if !expectsPresent { return "changed" }
    handlers[id]?.bound = bound
    return "rebound"
  }

  mutating func start(
    _ id: HandlerID, _ call: CallID, argument: Int, expectsPresent: Bool, by session: Int
  ) -> String {
    if let refusal = refusal(id) { return refusal }
    guard let handler = handlers[id] else { return "notFound" }
    if !Self.knownKinds.contains(handler.kind) { return "unregistered" }
    if !handler.isRepeating, !handler.calls.isEmpty { return "running" }
    if handler.calls[call] != nil { return "running" }
    if !expectsPresent { return "changed" }
    if !mayBegin(session) { return "sessionEnded" }
    handlers[id]?.calls[call] = Call(runner: session, bound: handler.bound, argument: argument)
    return "started"
  }

  mutating func retry(
    _ id: HandlerID, _ call: CallID, after attempt: UInt32, mayTakeOwn: Bool, by session: Int
  ) -> String {
    guard let handler = handlers[id] else { return "notFound" }
    guard let known = handler.calls[call] else {
      return handler.isWithdrawn && handler.lastEnded != call ? "invalidated" : "finished"
    }
    switch known.runner {
    case nil:
      if known.attempt != attempt { return "superseded" }
    case session where mayTakeOwn && known.attempt == attempt:
      if handler.isWithdrawn, !known.isCleanup { return "invalidated" }
    default: return "taken"
    }
    if !mayBegin(session) { return "sessionEnded" }
    handlers[id]?.calls[call]?.attempt += 1
    handlers[id]?.calls[call]?.runner = session
    return "started"
  }

  mutating func release(_ id: HandlerID, _ call: CallID, _ attempt: UInt32) -> String {
    guard let handler = handlers[id] else { return "notFound" }
    guard let known = handler.calls[call], known.runner != nil, known.attempt == attempt else {
      return "superseded"
    }
    giveBack(id, call)
    return "released"
  }

  private mutating func giveBack(_ id: HandlerID, _ call: CallID) {
    let isLost = handlers[id]?.isWithdrawn == true && handlers[id]?.calls[call]?.isCleanup == false
    if isLost {
      handlers[id]?.calls[call] = nil
    } else {
      handlers[id]?.calls[call]?.runner = nil
    }
  }

  mutating func invalidate(
    _ id: HandlerID, _ call: CallID, argument: Int, runsCode: Bool, by session: Int
  ) -> String {
    switch refusal(id) {
    case "invalidated": return "already"
    case let refusal?: return refusal
    case nil: break
    }
    guard var handler = handlers[id] else { return "notFound" }
    if runsCode, !mayBegin(session) { return "sessionEnded" }
    handler.isWithdrawn = true
    handler.calls = handler.calls.filter { $0.value.runner != nil }
    if runsCode {
      handler.calls[call] = Call(
        runner: session, isCleanup: true, bound: handler.bound, argument: argument)
    }
    handlers[id] = handler
    return "invalidated"
  }

  // MARK: Ends

  struct Effect {
    enum Action {
      case create(PromiseID)
      case resolve(PromiseID)
      case createHandler(HandlerID, Bool, String)
      case call(HandlerID, CallID)
      case invalidate(HandlerID, CallID)
    }
    var action: Action
    var isRequired: Bool
  }

  /// The answer, and the verdicts as they are recorded.
  mutating func finish(
    _ id: HandlerID, _ call: CallID, _ attempt: UInt32, fails: Bool, _ effects: [Effect],
    by session: Int
  ) -> (answer: String, verdicts: [DecidedEffect.Verdict]) {
    guard let known = handlers[id]?.calls[call], known.attempt == attempt else {
      return ("superseded", [])
    }
    let before = self
    var verdicts: [DecidedEffect.Verdict] = []
    var isRefused = false
    for effect in fails ? [] : effects {
      guard let verdict = carryOut(effect.action, by: session) else {
        self = before
        return ("sessionEnded", [])
      }
      verdicts.append(verdict)
      if effect.isRequired, verdict != .done {
        self = before
        verdicts = [verdict]
        isRefused = true
        break
      }
    }
    handlers[id]?.calls[call] = nil
    handlers[id]?.lastEnded = call
    if !known.isCleanup, handlers[id]?.isRepeating == false { handlers[id]?.isSpent = true }
    return (isRefused ? "refused" : "finished", verdicts)
  }

  /// `nil` if the session may not do it.
  private mutating func carryOut(_ action: Effect.Action, by session: Int) -> DecidedEffect.Verdict?
  {
    switch action {
    case .create(let id):
      if promises[id] != nil { return .exists }
      promises[id] = false
      return .done
    case .resolve(let id):
      guard let isResolved = promises[id] else { return .notFound }
      promises[id] = true
      return isResolved ? .alreadyResolved : .done
    case .createHandler(let id, let isRepeating, let kind):
      if !Self.knownKinds.contains(kind) { return .unregistered }
      return create(id, isRepeating: isRepeating, kind: kind, bound: 0) == "exists"
        ? .exists : .done
    case .call(let id, let call):
      switch start(id, call, argument: 0, expectsPresent: true, by: session) {
      case "started": return .done
      case "running": return .alreadyRunning
      case "finished": return .finished
      case "invalidated": return .invalidated
      case "unregistered": return .unregistered
      case "sessionEnded": return nil
      default: return .notFound
      }
    case .invalidate(let id, let call):
      let hasCode = handlers[id].map { Self.kindsWithCode.contains($0.kind) } ?? false
      switch invalidate(id, call, argument: 0, runsCode: hasCode, by: session) {
      case "invalidated": return .done
      case "already": return .invalidated
      case "finished": return .finished
      case "sessionEnded": return nil
      default: return .notFound
      }
    }
  }

  // MARK: Sessions

  /// Every session is of the role `app` and of one instance.
  mutating func open(_ session: Int) {
    sessions[session] = .open
  }

  mutating func end(_ session: Int) {
    guard mayBegin(session) else { return }
    giveBackAll(of: session)
    sessions[session] = .ended
  }

  mutating func freeze(_ session: Int) -> String {
    guard mayBegin(session) else { return "sessionEnded" }
    if sessions[session] == .open { giveBackAll(of: session) }
    sessions[session] = .frozen
    return "done"
  }

  mutating func unfreeze(_ session: Int) -> String {
    guard mayBegin(session) else { return "sessionEnded" }
    sessions[session] = .open
    return "done"
  }

  private mutating func giveBackAll(of session: Int) {
    for (id, handler) in handlers {
      for (call, known) in handler.calls where known.runner == session { giveBack(id, call) }
    }
  }
}

extension HandlerOracle {
  /// The contents of a state, in the oracle's terms; its sessions are numbered.
  init(_ state: LedgerState) {
    for number in 0..<200 {
      switch state.sessions[.numbered(number)]?.status {
      case .open: sessions[number] = .open
      case .frozen: sessions[number] = .frozen
      case .ended: sessions[number] = .ended
      case nil: break
      }
    }
    for promise in state.promises.all { promises[promise.id] = promise.status != .pending }
    for entity in state.handlers.all {
      var handler = Handler(
        isRepeating: entity.isRepeating, kind: entity.kind, bound: entity.bound.arguments.number,
        isSpent: entity.status == .finished, isWithdrawn: entity.status == .invalidated,
        lastEnded: entity.lastFinish?.call)
      // Of a withdrawn one-shot the state does not show whether its call ended.
      if handler.isWithdrawn, !handler.isRepeating, entity.lastFinish?.purpose == .call {
        handler.isSpent = true
      }
      for call in entity.openCalls.values {
        handler.calls[call.id] = Call(
          attempt: call.attempt,
          runner: (0..<200).first { SessionID.numbered($0) == call.runningSession },
          isCleanup: call.purpose == .invalidation, bound: call.bound.arguments.number,
          argument: call.arguments.number)
      }
      handlers[entity.id] = handler
    }
  }

  /// The same without the parts that a state does not show.
  var comparable: HandlerOracle {
    var copy = self
    for (id, handler) in copy.handlers where handler.isWithdrawn {
      copy.handlers[id]?.isSpent = false
    }
    return copy
  }
}

extension ArgumentsReference {
  /// The argument of ``StoredArguments/sample(_:)`` with the name `n`.
  fileprivate var number: Int {
    guard case .inline(let arguments) = self, let argument = arguments["n"] else { return 0 }
    return Int(String(decoding: argument.payload, as: UTF8.self)) ?? -1
  }
}
