extension DurableHandler {
  /// The current record of the handler, or `nil` if there is no such handler.
  public var record: HandlerRecord? {
    get async throws { try await ledger.record(of: id) }
  }

  /// Replaces all bound arguments.
  ///
  /// A call that has begun keeps its original arguments.
  ///
  /// - Throws: ``LedgerError`` with `handlerNotFound`, `recordRemoved` if it has a key and its record was
  ///   removed, `handlerFinished`, `handlerInvalidated`, `encodingFailed`, `payloadTooLarge`,
  ///   `invalidArgument`, `argumentMismatch`, `decodingFailed` (the last three as for
  ///   ``Ledger/createHandler(_:_:key:scopes:repetition:label:)``, if the session knows the kind),
  ///   `ledgerFull`, `diskFull`, `writerStalled`; `CancellationError`.
  public func rebind(_ arguments: HandlerArguments) async throws {
    let ledger = try ledger
    let stored = try ledger.stored(arguments, of: .handler(id)).withoutErased()
    let handlerID = id
    if let entity = try await ledger.engine.read({ try $0.handler(handlerID) }) {
      try ledger.check(stored, for: entity)
    }
    let answer = try await ledger.engine.submit(
      RebindHandler(id: id, mode: .replaced, arguments: stored, expectedBinding: nil))
    _ = try await answer.hasRebound(id, in: ledger)
  }

  /// Binds additional arguments; those with the same names are replaced.
  ///
  /// - Parameters:
  ///   - arguments: The arguments to bind; an argument without a value changes nothing.
  ///   - names: The names of bound arguments to remove.
  /// - Throws: As ``rebind(_:)``.
  public func merge(_ arguments: HandlerArguments, erasing names: [String] = []) async throws {
    let ledger = try ledger
    let given = try ledger.stored(arguments.erasing(names), of: .handler(id))
    while true {
      let handlerID = id
      guard let entity = try await ledger.engine.read({ try $0.handler(handlerID) }) else {
        throw try await ledger.reason(forMissing: id)
      }
      try ledger.check(try given.withoutErased(), for: entity)
      let (binding, bound) = try await ledger.records.withNewest(entity) { entity in
        let arguments = try await ledger.records.load(entity.bound.arguments)
        return (
          entity.bound.position,
          try ArgumentSet(checking: arguments, references: entity.bound.references)
        )
      }
      let merged = try given.merged(over: bound)
      let limit = ledger.configuration.maximumPayloadSizeInBytes
      guard merged.payloadByteCount <= limit else {
        throw LedgerError(
          .payloadTooLarge,
          "Handler \(id): the bound arguments would have \(merged.payloadByteCount) bytes; the limit is \(limit). Store large values elsewhere and their names here, or raise the limit."
        )
      }
      let answer = try await ledger.engine.submit(
        RebindHandler(
          id: id, mode: .merged, arguments: merged, expectedBinding: binding))
      if try await answer.hasRebound(id, in: ledger) { return }
    }
  }
}

extension DurableHandler {
  /// The arguments in the form in which an event binds them to the handler.
  ///
  /// - Throws: ``LedgerError`` with `encodingFailed`, `payloadTooLarge`, `invalidArgument`.
  package func stored(_ arguments: HandlerArguments) throws(LedgerError) -> StoredArguments {
    try ledger.stored(arguments, of: .handler(id)).withoutErased().arguments
  }
}

extension Ledger {
  /// Rejects arguments to bind, if the kind is known and its code could never run with them.
  fileprivate func check(
    _ bound: ArgumentSet, for entity: HandlerEntity
  ) throws(LedgerError) {
    guard let registration = configuration.handlers[entity.kind] else { return }
    try check(bound, of: entity.name, for: registration)
  }
}

extension RebindHandler.Answer {
  /// Whether the rebinding was done; otherwise another one came first.
  fileprivate func hasRebound(_ id: HandlerID, in ledger: Ledger) async throws -> Bool {
    switch self {
    case .rebound: return true
    case .changedMeanwhile: return false
    case .notFound: throw try await ledger.reason(forMissing: id)
    case .finished(let entity): throw LedgerError.handlerFinished(entity)
    case .invalidated(let entity): throw LedgerError.handlerInvalidated(entity)
    }
  }
}
