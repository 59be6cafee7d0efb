/// Runs the handlers of one session: checks the preconditions, begins a call in the ledger, runs the code,
/// and ends the call with its effects.
struct HandlerRunner: Sendable {
  let ledger: Ledger
  /// The caller's live object; calls that follow from others do not receive it.
  let live: LiveObject?
  /// Read once: finding it in the configuration takes longer than looking up a kind in it.
  let registry: HandlerRegistry

  init(ledger: Ledger, live: LiveObject? = nil) {
    self.ledger = ledger
    self.live = live
    registry = ledger.configuration.handlers
  }

  var running: RunningCalls { ledger.runningCalls }

  // MARK: Calling

  /// - Parameter expected: The handler type that the caller expects, if it named one.
  func call(
    _ id: HandlerID, _ arguments: HandlerArguments, as expected: (any LedgerHandler.Type)? = nil
  ) async throws -> HandlerResult {
    try CallChain.refuseRecursion(of: id, in: ledger)
    let given = try ledger.stored(arguments, of: .handler(id))
    let call = CallID(entityID: ledger.makeID())
    try begin(call, of: id)
    defer { running.end(call) }
    if let prepared = try await prepareFromKnown(id, given, expected),
      let result = try await start(call, of: id, given, prepared)
    {
      return result
    }
    while true {
      switch try await prepare(id, given, expected, isNewest: true) {
      case .hindered(let entity, let left):
        if let result = try await takeOver(left, of: entity) { return result }
      case .prepared(let prepared):
        if let result = try await start(call, of: id, given, prepared) { return result }
      }
    }
  }

  /// What is known before a call begins.
  private enum Preparation {
    case prepared(PreparedCall)
    /// Another call must end first, or be taken over.
    case hindered(HandlerEntity, OpenCall)
  }

  /// A call that can run with a binding of the handler.
  private struct PreparedCall {
    let binding: Position
    let run: HandlerRegistration.Run
  }

  /// Prepares a call from what the session knows, without a look at the log.
  ///
  /// - Returns: `nil` if only the newest state can tell whether the call may begin.
  /// - Throws: What is wrong, if the log has nothing newer.
  private func prepareFromKnown(
    _ id: HandlerID, _ given: ArgumentSet, _ expected: (any LedgerHandler.Type)?
  ) async throws -> PreparedCall? {
    let engine = ledger.engine
    let known = try await engine.read(isNewest: false) { $0.position }
    do {
      let preparation = try await prepare(id, given, expected, isNewest: false)
      if case .prepared(let prepared) = preparation { return prepared }
      return nil
    } catch {
      guard try await engine.read({ $0.position }) == known else { return nil }
      throw error
    }
  }

  /// Checks everything that can fail before a call begins.
  private func prepare(
    _ id: HandlerID, _ given: ArgumentSet, _ expected: (any LedgerHandler.Type)?, isNewest: Bool
  ) async throws -> Preparation {
    let entity = try await activeHandler(id, isNewest: isNewest)
    if let expected { try require(expected, of: entity) }
    if let left = entity.hinderingCall { return .hindered(entity, left) }
    let prepared = try await ledger.records.withNewest(entity) { entity in
      PreparedCall(
        binding: entity.bound.position,
        run: try await prepare(
          entity, .call, bound: entity.bound.arguments, given: given.arguments))
    }
    return .prepared(prepared)
  }

  /// Begins a call and runs it.
  ///
  /// - Returns: `nil` if the handler was bound anew meanwhile, or another call began: it is running, or can be
  ///   taken over.
  private func start(
    _ call: CallID, of id: HandlerID, _ given: ArgumentSet, _ prepared: PreparedCall
  ) async throws -> HandlerResult? {
    let answer = try await ledger.engine.submit(
      StartCall(
        id: id, call: call, arguments: given, expectedBinding: prepared.binding,
        runnableKinds: registry.kinds))
    switch answer {
    case .started(let started): return try await perform(started, prepared.run)
    case .changedMeanwhile, .alreadyRunning: return nil
    case .notFound: throw try await ledger.reason(forMissing: id)
    case .finished(let entity): throw LedgerError.handlerFinished(entity)
    case .invalidated(let entity): throw LedgerError.handlerInvalidated(entity)
    case .unregistered(let entity): throw LedgerError.handlerUnregistered(entity)
    }
  }

  /// The handler, if its state allows a call.
  private func activeHandler(
    _ id: HandlerID, isNewest: Bool
  ) async throws -> HandlerEntity {
    let entity = try await handler(id, isNewest: isNewest)
    switch entity.status {
    case .finished: throw LedgerError.handlerFinished(entity)
    case .invalidated: throw LedgerError.handlerInvalidated(entity)
    case .active: return entity
    }
  }

  /// Runs the unfinished call of a one-shot handler as its next attempt, if it is no longer running. This
  /// happens when the same answer is delivered again, because the process that first received it died.
  ///
  /// - Returns: `nil` if another attempt began and ended meanwhile.
  private func takeOver(
    _ call: OpenCall, of entity: HandlerEntity
  ) async throws -> HandlerResult? {
    let started = StartedCall(entity: entity, call: call)
    if let session = call.runningSession {
      let isLeft =
        if session == ledger.session { !running.contains(call.id) } else {
          try await ledger.engine.noticeDeath(of: session)
        }
      guard isLeft else { throw LedgerError.handlerRunning(started) }
    }
    return try await nextAttempt(of: UnfinishedCall(started))
  }

  private func require(
    _ expected: any LedgerHandler.Type, of entity: HandlerEntity
  ) throws(LedgerError) {
    guard let registration = registry[entity.kind] else { throw .handlerUnregistered(entity) }
    guard registration.type == expected else {
      throw LedgerError(
        .typeMismatch,
        "\(entity.name) is run by the type \(registration.type), not by \(expected). Call it with that type."
      )
    }
  }

  private func handler(
    _ id: HandlerID, isNewest: Bool = true
  ) async throws -> HandlerEntity {
    let (entity, problem) = try await ledger.engine.read(isNewest: isNewest) { state in
      (try state.handler(id), state.blocked[id.entityID])
    }
    if let problem { throw problem.refusal(of: id.entityID) }
    guard let entity else { throw try await ledger.reason(forMissing: id) }
    return entity
  }

  private func begin(_ call: CallID, of id: HandlerID) throws(LedgerError) {
    guard running.begin(call) else {
      throw LedgerError(
        .handlerRunning, "This session is running call \(call) of handler \(id). Wait for it.")
    }
  }

  // MARK: Running again

  func retry(_ unfinished: UnfinishedCall) async throws -> HandlerResult {
    if let result = try await nextAttempt(of: unfinished) { return result }
    throw LedgerError.superseded(
      unfinished.id, attempt: UInt32(clamping: unfinished.attempt),
      of: .handler(unfinished.handler, kind: unfinished.kind))
  }

  /// - Returns: `nil` if another attempt began and ended since `unfinished` was read.
  private func nextAttempt(of unfinished: UnfinishedCall) async throws -> HandlerResult? {
    let id = unfinished.handler
    try CallChain.refuseRecursion(of: id, in: ledger)
    try begin(unfinished.id, of: id)
    defer { running.end(unfinished.id) }
    let entity = try await handler(id)
    var run: HandlerRegistration.Run?
    if let open = entity.openCalls[unfinished.id] {
      run = try await prepare(StartedCall(entity: entity, call: open))
    }
    let answer = try await ledger.engine.submit(
      RetryCall(
        id: id, call: unfinished.id, expectedAttempt: UInt32(clamping: unfinished.attempt),
        mayTakeOwn: true))
    switch answer {
    case .started(let started):
      guard let run else {
        throw LedgerError(
          .internalInconsistency, "Call \(unfinished.id) of handler \(id) came back after its end.")
      }
      return try await perform(started, run)
    case .taken(_, let started): throw LedgerError.handlerRunning(started)
    case .superseded: return nil
    case .finished(let entity):
      throw LedgerError(
        .handlerFinished, "\(entity.name): call \(unfinished.id) ended in the meantime.")
    case .invalidated(let entity): throw LedgerError.handlerInvalidated(entity)
    case .notFound: throw try await ledger.reason(forMissing: id)
    }
  }

  // MARK: Withdrawing

  /// Withdraws a handler, and runs its invalidation code.
  ///
  /// - Returns: The reason why it was not withdrawn, if it was already withdrawn or finished.
  /// - Throws: Any other error that prevents the withdrawal; any error that its code throws.
  func withdraw(
    _ id: HandlerID, _ arguments: HandlerArguments, reason: String
  ) async throws -> LedgerError? {
    try TextLimit.reason.check(reason)
    let given = try ledger.stored(arguments, of: .handler(id))
    let call = CallID(entityID: ledger.makeID())
    try begin(call, of: id)
    defer { running.end(call) }
    while true {
      let entity = try await handler(id)
      let runsCode = registry[entity.kind]?.hasInvalidationCode ?? false
      if runsCode, entity.status == .active { try await checkInvalidation(of: entity, given) }
      let answer = try await ledger.engine.submit(
        InvalidateHandler(
          id: id, call: call, reason: reason, arguments: given, runsCode: runsCode,
          expectedBinding: runsCode ? entity.bound.position : nil))
      switch answer {
      case .invalidated(let marked, let open):
        guard let open else { return nil }
        let started = StartedCall(entity: marked, call: open)
        _ = try await perform(started, try await prepareOrGiveBack(started))
        return nil
      case .changedMeanwhile: continue
      case .alreadyInvalidated(let entity): return .handlerInvalidated(entity)
      case .finished(let entity): return .handlerFinished(entity)
      case .notFound: throw try await ledger.reason(forMissing: id)
      }
    }
  }

  /// Rejects arguments with which the invalidation code could never run: the handler then stays as it is. The
  /// app's context is requested later, because it must not prevent the withdrawal of a handler.
  private func checkInvalidation(
    of entity: HandlerEntity, _ given: ArgumentSet
  ) async throws {
    let source = ArgumentSource(
      handler: entity.name, bound: try await ledger.records.load(entity.bound.arguments),
      given: given.arguments)
    guard let registration = registry[entity.kind] else { return }
    _ = try live?.object(for: entity, taking: registration.liveType)
    let error = registration.problem(source, .invalidation, in: ledger, isComplete: true)
    if let error { throw error }
  }
}
