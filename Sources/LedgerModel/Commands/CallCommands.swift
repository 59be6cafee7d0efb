/// Starts a call of a handler, to be run by the session that asks.
package struct StartCall: EntityCommand {
  package indirect enum Answer: Sendable {
    case started(StartedCall)
    /// Another rebinding came first: check the arguments against the current binding.
    case changedMeanwhile(HandlerEntity)
    case notFound
    /// A call of the one-shot handler is unfinished: it is running, or was released.
    case alreadyRunning(StartedCall)
    case finished(HandlerEntity)
    case invalidated(HandlerEntity)
    case unregistered(HandlerEntity)
  }

  package let id: HandlerID
  /// The id for the call.
  package let call: CallID
  package let arguments: ArgumentSet
  /// The position of the binding that the arguments were checked against; `nil` if it does not matter.
  package let expectedBinding: Position?
  /// All names, current and former, of the kinds that the session knows.
  package let runnableKinds: Set<String>
  /// The event that led to the call.
  package let cause: Position

  package init(
    id: HandlerID, call: CallID, arguments: ArgumentSet, expectedBinding: Position?,
    runnableKinds: Set<String>, cause: Position = .start
  ) {
    self.id = id
    self.call = call
    self.arguments = arguments
    self.expectedBinding = expectedBinding
    self.runnableKinds = runnableKinds
    self.cause = cause
  }

  package func decide(in decision: inout Decision) throws(LedgerError) -> Answer {
    // The handler that this looks up is released before it changes, or all its open calls would be copied.
    if let refusal = try refusal(in: decision) { return refusal }
    try decision.requireOwnSession()
    let started = HandlerCallStarted(
      call: call, attempt: 1, references: arguments.references, arguments: arguments.arguments)
    try decision.appendAttaching(started, to: id.entityID, cause: cause)
    return .started(try decision.requireCall(call, of: id).alone)
  }

  /// The answer if the call cannot start.
  private func refusal(in decision: Decision) throws(LedgerError) -> Answer? {
    guard let entity = try decision.knownHandler(id) else { return .notFound }
    switch entity.status {
    case .finished: return .finished(entity)
    case .invalidated: return .invalidated(entity)
    case .active: break
    }
    guard runnableKinds.contains(entity.kind) else { return .unregistered(entity) }
    if let other = entity.hinderingCall ?? entity.openCalls[call] {
      return .alreadyRunning(StartedCall(entity: entity, call: other))
    }
    if let expectedBinding, expectedBinding != entity.bound.position {
      return .changedMeanwhile(entity)
    }
    return nil
  }
}

/// Starts the next attempt of a released call, or of a released run of invalidation code.
package struct RetryCall: EntityCommand {
  package indirect enum Answer: Sendable {
    case started(StartedCall)
    /// A session is running it.
    case taken(by: SessionID, StartedCall)
    /// Another attempt was started and released in the meantime.
    case superseded(StartedCall)
    /// The call ended.
    case finished(HandlerEntity)
    /// The handler was invalidated before the call ended, so the call is not run again.
    case invalidated(HandlerEntity)
    case notFound
  }

  package let id: HandlerID
  package let call: CallID
  /// The newest attempt that the caller knows.
  package let expectedAttempt: UInt32
  /// Whether the command may take over an attempt of this session, because the caller knows that it no longer
  /// runs.
  package let mayTakeOwn: Bool

  package init(id: HandlerID, call: CallID, expectedAttempt: UInt32, mayTakeOwn: Bool = false) {
    self.id = id
    self.call = call
    self.expectedAttempt = expectedAttempt
    self.mayTakeOwn = mayTakeOwn
  }

  package func decide(in decision: inout Decision) throws(LedgerError) -> Answer {
    guard let entity = try decision.knownHandler(id) else { return .notFound }
    guard let open = entity.openCalls[call] else {
      return entity.lastFinish?.call != call && entity.status == .invalidated
        ? .invalidated(entity) : .finished(entity)
    }
    let known = StartedCall(entity: entity, call: open)
    if let session = open.runningSession {
      let isOwn = mayTakeOwn && session == decision.context.session
      guard isOwn, open.attempt == expectedAttempt else { return .taken(by: session, known) }
    }
    guard open.attempt == expectedAttempt else { return .superseded(known) }
    guard open.purpose == .invalidation || entity.status == .active else {
      return .invalidated(entity)
    }
    try decision.requireOwnSession()
    let started = HandlerCallStarted(
      call: call, attempt: open.attempt + 1, references: .none, arguments: StoredArguments.none)
    try decision.append(started, to: id.entityID, cause: open.firstStart.position)
    return .started(try decision.requireCall(call, of: id))
  }
}

/// Releases an unfinished run, so that another session may take it over.
package struct ReleaseCall: EntityCommand {
  package indirect enum Answer: Sendable {
    case released(HandlerEntity)
    /// The attempt is not the running one: it ended, was released, or another attempt began.
    case superseded(HandlerEntity)
    case notFound
  }

  package let id: HandlerID
  package let call: CallID
  package let attempt: UInt32
  package let reason: HandlerCallReleased.Reason

  package init(id: HandlerID, call: CallID, attempt: UInt32, reason: HandlerCallReleased.Reason) {
    self.id = id
    self.call = call
    self.attempt = attempt
    self.reason = reason
  }

  package func decide(in decision: inout Decision) throws(LedgerError) -> Answer {
    guard let entity = try decision.knownHandler(id) else { return .notFound }
    guard let open = entity.openCalls[call], !open.isReleased, open.attempt == attempt else {
      return .superseded(entity)
    }
    try decision.append(
      HandlerCallReleased(call: call, attempt: attempt, reason: reason), to: id.entityID)
    return .released(try decision.requireHandler(id))
  }
}
