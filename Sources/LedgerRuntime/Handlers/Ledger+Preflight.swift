extension Ledger {
  /// The handlers and unfinished calls that this session cannot run, with the reasons.
  ///
  /// The reason may be that the session does not know the handler's kind, that the bound arguments do not
  /// match the kind's parameters, or that it cannot read the handler's events. An unbound mandatory argument
  /// is not a problem, because the call may supply it.
  ///
  /// - Complexity: O(n) in the number of open handlers, whose arguments are decoded.
  public func preflight() async throws -> [HandlerProblem] {
    let open = try await engine.read(fromCopy: true) { state in
      try state.openHandlers().map { ($0, state.blocked[$0.id.entityID]) }
    }
    var problems: [HandlerProblem] = []
    for (entity, blocked) in open {
      if let blocked {
        problems.append(HandlerProblem(entity, nil, blocked.refusal(of: entity.id.entityID)))
      } else {
        problems += try await self.problems(of: entity)
      }
    }
    return problems
  }

  private func problems(of entity: HandlerEntity) async throws -> [HandlerProblem] {
    guard let registration = configuration.handlers[entity.kind] else {
      return [HandlerProblem(entity, nil, .handlerUnregistered(entity))]
    }
    do {
      return try await records.withNewest(entity) { entity in
        try await self.problems(of: entity, as: registration)
      }
    } catch let error as LedgerError where error.code == .corrupt {
      // A damaged handler does not prevent checking the others.
      return [HandlerProblem(entity, nil, error)]
    }
  }

  private func problems(
    of entity: HandlerEntity, as registration: HandlerRegistration
  ) async throws -> [HandlerProblem] {
    var problems: [HandlerProblem] = []
    if entity.status == .active {
      let source = ArgumentSource(
        handler: entity.name, bound: try await records.load(entity.bound.arguments), given: .none)
      if let error = registration.problem(source, .call, in: self, isComplete: false) {
        problems.append(HandlerProblem(entity, nil, error))
      }
    }
    for call in entity.callsInOrder {
      guard call.purpose == .call || registration.hasInvalidationCode else {
        problems.append(HandlerProblem(entity, call.id, .withoutInvalidationCode(entity)))
        continue
      }
      let source = ArgumentSource(
        handler: entity.name, bound: try await records.load(call.bound.arguments),
        given: try await records.load(call.arguments))
      if let error = registration.problem(source, call.purpose, in: self, isComplete: true) {
        problems.append(HandlerProblem(entity, call.id, error))
      }
    }
    return problems
  }
}

extension HandlerProblem {
  fileprivate init(_ entity: HandlerEntity, _ call: CallID?, _ error: LedgerError) {
    self.init(handler: entity.id, kind: entity.kind, call: call, error: error)
  }
}
