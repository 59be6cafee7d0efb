/// Creates a handler, or finds the existing one.
package struct CreateHandler: EntityCommand {
  package indirect enum Answer: Sendable {
    case created
    /// A handler with this id exists, in any state.
    case exists(HandlerEntity)
  }

  package let id: HandlerID
  /// The properties of the handler, except for the arguments.
  package let description: HandlerDescription
  package let arguments: ArgumentSet
  /// The event that led to the creation.
  package var cause: Position

  package init(
    id: HandlerID, _ description: HandlerDescription, arguments: ArgumentSet,
    cause: Position = .start
  ) {
    self.id = id
    self.description = description
    self.arguments = arguments
    self.cause = cause
  }

  package func decide(in decision: inout Decision) throws(LedgerError) -> Answer {
    if let entity = try decision.knownHandler(id) { return .exists(entity) }
    let created = HandlerCreated(
      handlerKind: description.kind, repetition: description.repetition, key: description.key,
      label: description.label, scopes: description.scopes, references: arguments.references,
      arguments: arguments.arguments)
    try decision.appendAttaching(created, to: id.entityID, cause: cause)
    return .created
  }
}

/// Binds new arguments to a handler.
package struct RebindHandler: EntityCommand {
  package indirect enum Answer: Sendable {
    case rebound(HandlerEntity)
    /// Another rebinding came first: read the current binding, and merge again.
    case changedMeanwhile(HandlerEntity)
    case notFound
    case finished(HandlerEntity)
    case invalidated(HandlerEntity)
  }

  package let id: HandlerID
  package let mode: HandlerRebound.Mode
  /// The complete arguments that are bound from now on, even if they are merged.
  package let arguments: ArgumentSet
  /// The position of the binding that the arguments were merged with; `nil` if it does not matter.
  package let expectedBinding: Position?

  package init(
    id: HandlerID, mode: HandlerRebound.Mode, arguments: ArgumentSet, expectedBinding: Position?
  ) {
    self.id = id
    self.mode = mode
    self.arguments = arguments
    self.expectedBinding = expectedBinding
  }

  package func decide(in decision: inout Decision) throws(LedgerError) -> Answer {
    guard let entity = try decision.knownHandler(id) else { return .notFound }
    switch entity.status {
    case .finished: return .finished(entity)
    case .invalidated: return .invalidated(entity)
    case .active: break
    }
    if let expectedBinding, expectedBinding != entity.bound.position {
      return .changedMeanwhile(entity)
    }
    let rebound = HandlerRebound(
      mode: mode, references: arguments.references, arguments: arguments.arguments)
    try decision.appendAttaching(rebound, to: id.entityID)
    return .rebound(try decision.requireHandler(id))
  }
}

/// Invalidates a handler permanently.
package struct InvalidateHandler: EntityCommand {
  package indirect enum Answer: Sendable {
    /// The handler is invalidated. The call is the run of its invalidation code, if it has any; this session
    /// must run it.
    case invalidated(HandlerEntity, OpenCall?)
    /// Another rebinding came first: check the arguments against the current binding.
    case changedMeanwhile(HandlerEntity)
    case alreadyInvalidated(HandlerEntity)
    case finished(HandlerEntity)
    case notFound
  }

  package let id: HandlerID
  /// The id for the run of the invalidation code.
  package let call: CallID
  package let reason: String
  /// The arguments for the invalidation code.
  package let arguments: ArgumentSet
  /// Whether the handler's kind has invalidation code.
  package let runsCode: Bool
  /// The position of the binding that the arguments were checked against; `nil` if it does not matter.
  package let expectedBinding: Position?
  /// The event that led to the invalidation.
  package let cause: Position

  package init(
    id: HandlerID, call: CallID, reason: String, arguments: ArgumentSet, runsCode: Bool,
    expectedBinding: Position? = nil, cause: Position = .start
  ) {
    self.id = id
    self.call = call
    self.reason = reason
    self.arguments = arguments
    self.runsCode = runsCode
    self.expectedBinding = expectedBinding
    self.cause = cause
  }

  package func decide(in decision: inout Decision) throws(LedgerError) -> Answer {
    guard let entity = try decision.knownHandler(id) else { return .notFound }
    switch entity.status {
    case .finished: return .finished(entity)
    case .invalidated: return .alreadyInvalidated(entity)
    case .active: break
    }
    if let expectedBinding, expectedBinding != entity.bound.position {
      return .changedMeanwhile(entity)
    }
    guard entity.openCalls[call] == nil else { throw .callIDTaken(call, by: entity) }
    if runsCode { try decision.requireOwnSession() }
    let invalidated = HandlerInvalidated(
      call: call, runsCode: runsCode, reason: reason, references: arguments.references,
      arguments: arguments.arguments)
    try decision.appendAttaching(invalidated, to: id.entityID, cause: cause)
    let changed = try decision.requireHandler(id)
    return .invalidated(changed, changed.openCalls[call])
  }
}

extension Decision {
  /// Returns the handler, or `nil` if the id is unknown, like ``known(_:or:)``.
  func knownHandler(_ id: HandlerID) throws(LedgerError) -> HandlerEntity? {
    try known(handler(id), or: id.entityID)
  }

  func requireHandler(_ id: HandlerID) throws(LedgerError) -> HandlerEntity {
    guard let entity = try handler(id) else {
      throw LedgerError(
        .internalInconsistency, "Handler \(id) does not exist after its event was applied.")
    }
    return entity
  }

  func requireCall(_ call: CallID, of id: HandlerID) throws(LedgerError) -> StartedCall {
    let entity = try requireHandler(id)
    guard let open = entity.openCalls[call] else {
      throw LedgerError(
        .internalInconsistency,
        "Call \(call) of handler \(id) does not exist after its event was applied.")
    }
    return StartedCall(entity: entity, call: open)
  }
}

extension LedgerError {
  /// The refusal of an id that an unfinished call has: its end could not be told from that of the invalidation.
  fileprivate static func callIDTaken(_ call: CallID, by entity: HandlerEntity) -> LedgerError {
    LedgerError(
      .invalidArgument,
      "Handler \(entity.id) has an unfinished call \(call), so its invalidation cannot have the same id. Use a new id."
    )
  }
}
