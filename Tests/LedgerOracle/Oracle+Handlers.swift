extension Oracle.Handler {
  package enum Status: Int, Hashable, Sendable { case active, finished, invalidated }

  package var status: Status {
    if invalidation != nil { return .invalidated }
    return isSpent ? .finished : .active
  }

  package var isOver: Bool { status != .active && calls.isEmpty }
}

// MARK: - Commands on handlers

extension Oracle {
  private func known(handler id: Int) throws(Refusal) -> Handler? {
    if let handler = handlers[id] { return handler }
    if constants.isKeyed[id], removedHandlers.contains(id) { throw .recordRemoved }
    return nil
  }

  /// The answer to a command on a handler that is not active.
  private func ended(_ handler: Handler) -> Answer? {
    switch handler.status {
    case .active: nil
    case .finished: .finished
    case .invalidated: .invalidated
    }
  }

  mutating func createHandler(_ id: Int, _ creation: HandlerCreation) throws(Refusal) -> Answer {
    if try known(handler: id) != nil { return .exists }
    let creator = session
    set(handler: id) { Handler(created: $0, creator: creator, creation) }
    return .created
  }

  mutating func rebind(
    _ id: Int, _ binding: Binding, _ expected: Int?
  ) throws(Refusal) -> Answer {
    guard let handler = try known(handler: id) else { return .notFound }
    if let ended = ended(handler) { return ended }
    if let expected, expected != handler.bound { return .changed }
    change(handler: id, .handlerRebound) { handler, position in
      (handler.creation.binding, handler.bound) = (binding, position)
    }
    return .rebound
  }

  mutating func start(
    _ id: Int, _ call: Int, _ references: [Int], _ expected: Int?
  ) throws(Refusal) -> Answer {
    guard let handler = try known(handler: id) else { return .notFound }
    if let ended = ended(handler) { return ended }
    guard handler.creation.kind < 2 else { return .unregistered }
    // A one-shot handler that is active has no other calls than one.
    if !handler.creation.isRepeating && !handler.calls.isEmpty || handler.calls[call] != nil {
      return .running
    }
    if let expected, expected != handler.bound { return .changed }
    try requireOwnSession()
    let runner = session
    change(handler: id, .handlerCallStarted) { handler, position in
      handler.calls[call] = Call(
        isCleanup: false, attempt: 1, first: position, newest: position, runner: runner,
        bound: handler.bound, promises: references + handler.creation.binding.promises)
    }
    return .started
  }

  mutating func retryCall(
    _ id: Int, _ call: Int, _ attempt: Int, mayTakeOwn: Bool
  ) throws(Refusal) -> Answer {
    guard let handler = try known(handler: id) else { return .notFound }
    guard let open = handler.calls[call] else {
      let isLost = handler.status == .invalidated && handler.lastEnd?.call != call
      return isLost ? .invalidated : .finished
    }
    if let runner = open.runner {
      guard mayTakeOwn, runner == session, open.attempt == attempt else { return .taken }
    }
    guard open.attempt == attempt else { return .superseded }
    guard open.isCleanup || handler.status == .active else { return .invalidated }
    try requireOwnSession()
    let runner = session
    change(handler: id, .handlerCallStarted) { handler, position in
      handler.calls[call]?.attempt += 1
      handler.calls[call]?.newest = position
      handler.calls[call]?.runner = runner
    }
    return .started
  }

  mutating func releaseCall(_ id: Int, _ call: Int, _ attempt: Int) throws(Refusal) -> Answer {
    guard let handler = try known(handler: id) else { return .notFound }
    guard let open = handler.calls[call], open.runner != nil, open.attempt == attempt else {
      return .superseded
    }
    giveBack(id, call)
    return .released
  }

  private mutating func giveBack(_ id: Int, _ call: Int) {
    change(handler: id, .handlerCallReleased) { handler, _ in
      // The code of an invalidated handler is not run again.
      if handler.status == .invalidated, handler.calls[call]?.isCleanup == false {
        handler.calls[call] = nil
      } else {
        handler.calls[call]?.runner = nil
      }
    }
  }

  mutating func invalidate(
    _ id: Int, _ call: Int, runsCode: Bool, _ expected: Int?, cause: Int = 0
  ) throws(Refusal) -> Answer {
    guard let handler = try known(handler: id) else { return .notFound }
    switch handler.status {
    case .finished: return .finished
    case .invalidated: return .alreadyInvalidated
    case .active: break
    }
    if let expected, expected != handler.bound { return .changed }
    // The ends of two unfinished calls with one id could not be told apart.
    if handler.calls[call] != nil { throw .invalidArgument }
    if runsCode { try requireOwnSession() }
    let runner = session
    change(handler: id, .handlerInvalidated) { handler, position in
      handler.invalidation = Invalidation(position, cause: cause)
      // The call that invalidates its own handler ends in this commit.
      handler.calls = handler.calls.filter { $0.value.runner != nil || $0.value.newest == cause }
      guard runsCode else { return }
      handler.calls[call] = Call(
        isCleanup: true, attempt: 1, first: position, newest: position, runner: runner,
        bound: handler.bound, promises: handler.creation.binding.promises)
    }
    return .invalidated
  }

  mutating func finishCall(
    _ id: Int, _ call: Int, _ attempt: Int, fails: Bool, _ effects: [Effect], rejects: Int?
  ) throws(Refusal) -> Answer {
    guard let open = try known(handler: id)?.calls[call], open.attempt == attempt else {
      return .superseded
    }
    var verdicts: [Verdict] = []
    var isRefused = false
    if !fails {
      (verdicts, isRefused) = try carryOut(effects, cause: open.newest)
    }
    if fails || isRefused, let rejects {
      let number = verdicts.first?.rawValue
      verdicts.append(
        try reject(rejects, number.map { .error(.effect, $0) } ?? .error(.user, 5)))
    }
    change(handler: id, open.isCleanup ? .handlerInvalidationFinished : .handlerCallFinished) {
      handler, position in
      handler.lastEnd = CallEnd(
        position, call, attempt: attempt, failed: fails || isRefused, verdicts)
      handler.calls[call] = nil
      // An invalidated handler stays that.
      let isSpent = !open.isCleanup && !handler.creation.isRepeating
      if isSpent, handler.invalidation == nil { handler.isSpent = true }
    }
    return isRefused ? .effectRefused : .settled(verdicts)
  }

  /// Rejects a promise with the error of a call that failed.
  private mutating func reject(_ id: Int, _ error: Content) throws(Refusal) -> Verdict {
    timeOutIfDue(id)
    let promise: Promise?
    do throws(Refusal) { promise = try known(id) } catch { return .notFound }
    guard let promise else { return .notFound }
    if promise.status == .abandoned { return .abandoned }
    if promise.resolution != nil { return .alreadyResolved }
    if promise.isComputed { return .blocked }
    settle(id, .rejected, error)
    return .done
  }

  /// Gives back every call that a session runs.
  mutating func releaseCalls(of session: Int) {
    let running = handlers.flatMap { id, handler in
      handler.calls.filter { $0.value.runner == session }.map { (id, $0.key, $0.value.newest) }
    }.sorted { $0.2 < $1.2 }
    for (id, call, _) in running { giveBack(id, call) }
  }
}

// MARK: - Effects

extension Oracle {
  /// Carries out the effects of code. If one that the code requires is refused, all are dropped.
  ///
  /// - Returns: The verdicts; if one is refused, that one alone.
  mutating func carryOut(
    _ effects: [Effect], cause: Int
  ) throws(Refusal) -> (verdicts: [Verdict], isRefused: Bool) {
    let mark = mark
    var verdicts: [Verdict] = []
    for effect in effects {
      let verdict = try carryOut(effect.action, cause)
      verdicts.append(verdict)
      guard effect.isRequired, verdict != .done, verdict != .deduplicated else { continue }
      rollBack(to: mark)
      return ([verdict], true)
    }
    return (verdicts, false)
  }

  private mutating func carryOut(
    _ action: Effect.Action, _ cause: Int
  ) throws(Refusal) -> Verdict {
    let mark = mark
    do throws(Refusal) {
      return try decide(action, cause)
    } catch {
      // A command that is refused changes nothing, not even deadlines.
      rollBack(to: mark)
      switch error {
      case .typeMismatch: return .typeMismatch
      case .promiseIsComputed: return .blocked
      case .recordRemoved: return action.isCreation ? .exists : .notFound
      default: throw error
      }
    }
  }

  private mutating func decide(
    _ action: Effect.Action, _ cause: Int
  ) throws(Refusal) -> Verdict {
    switch action {
    case .create(let id, let creation):
      switch try create(id, creation, isStrict: false) {
      case .created: return .done
      case .deduplicated: return .deduplicated
      default: return .exists
      }
    case .resolve(let id, let resolve):
      switch try self.resolve(id, resolve) {
      case .resolved: return .done
      case .deduplicated: return .deduplicated
      case .alreadyResolved: return .alreadyResolved
      case .abandoned: return .abandoned
      default: return .notFound
      }
    case .createHandler(let id, let creation):
      guard creation.kind < 2 else { return .unregistered }
      return try createHandler(id, creation) == .created ? .done : .exists
    case .call(let id, let call):
      switch try start(id, call, [], nil) {
      case .started: return .done
      case .running: return .alreadyRunning
      case .finished: return .finished
      case .invalidated: return .invalidated
      case .unregistered: return .unregistered
      default: return .notFound
      }
    case .invalidate(let id, let call):
      let runsCode = handlers[id]?.creation.kind == 0
      switch try invalidate(id, call, runsCode: runsCode, nil, cause: cause) {
      case .invalidated: return .done
      case .alreadyInvalidated: return .invalidated
      case .finished: return .finished
      default: return .notFound
      }
    }
  }
}

extension Oracle.Effect.Action {
  fileprivate var isCreation: Bool {
    switch self {
    case .create, .createHandler: true
    case .resolve, .call, .invalidate: false
    }
  }
}
