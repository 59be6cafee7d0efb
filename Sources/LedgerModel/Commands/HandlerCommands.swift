/// Makes a handler, or finds the one that is there.
package struct CreateHandler: EntityCommand {
  package enum Answer: Sendable {
    case created(HandlerEntity)
    /// One with this id is there, in whatever state.
    case exists(HandlerEntity)
  }

  package let id: HandlerID
  /// What it is made with, but for the arguments.
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
    return .created(try decision.requireHandler(id))
  }
}

/// Binds other arguments to a handler.
package struct RebindHandler: EntityCommand {
  package enum Answer: Sendable {
    case rebound(HandlerEntity)
    /// Another rebinding came first: read what is bound now, and merge again.
    case changedMeanwhile(HandlerEntity)
    case notFound
    case finished(HandlerEntity)
    case invalidated(HandlerEntity)
  }

  package let id: HandlerID
  package let mode: BindingMode
  /// All arguments that are bound from now on, also if they are merged.
  package let arguments: ArgumentSet
  /// The position of the binding that the arguments were merged with; `nil` if it does not matter.
  package let expectedBinding: Position?

  package init(
    id: HandlerID, mode: BindingMode, arguments: ArgumentSet, expectedBinding: Position?
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

/// Withdraws a handler for ever.
package struct InvalidateHandler: EntityCommand {
  package enum Answer: Sendable {
    /// With the run of its invalidation code, if it has code; this session is to run it.
    case invalidated(HandlerEntity, OpenCall?)
    /// Another rebinding came first: check the arguments against what is bound now.
    case changedMeanwhile(HandlerEntity)
    case alreadyInvalidated(HandlerEntity)
    case finished(HandlerEntity)
    case notFound
  }

  package let id: HandlerID
  /// The id that the run of the invalidation code gets.
  package let call: CallID
  package let reason: String
  /// For the invalidation code.
  package let arguments: ArgumentSet
  /// Whether the handler's kind has invalidation code.
  package let runsCode: Bool
  /// The position of the binding that the arguments were checked with; `nil` if it does not matter.
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
  /// The handler, or `nil` if nothing is known of it; as ``known(_:or:)``.
  func knownHandler(_ id: HandlerID) throws(LedgerError) -> HandlerEntity? {
    try known(handler(id), or: id.entityID)
  }

  func requireHandler(_ id: HandlerID) throws(LedgerError) -> HandlerEntity {
    guard let entity = try handler(id) else {
      throw LedgerError(
        .internalInconsistency, "Handler \(id) is not there after its event was applied.")
    }
    return entity
  }

  func requireCall(_ call: CallID, of id: HandlerID) throws(LedgerError) -> StartedCall {
    let entity = try requireHandler(id)
    guard let open = entity.openCalls[call] else {
      throw LedgerError(
        .internalInconsistency,
        "Call \(call) of handler \(id) is not there after its event was applied.")
    }
    return StartedCall(entity: entity, call: open)
  }
}
