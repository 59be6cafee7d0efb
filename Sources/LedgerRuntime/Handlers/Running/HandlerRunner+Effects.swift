extension HandlerRunner {
  /// Checks, before effects are decided, whether the calls and invalidations among them have arguments with
  /// which the code can run. A call that began without them could neither run nor be called again.
  ///
  /// It continues even if the task was cancelled.
  func checked(_ effects: [HandlerEffect]) async throws -> RequestedEffects {
    guard !effects.isEmpty else { return .none }
    let checked = try await Task {
      var creations: [HandlerID: CreateHandler] = [:]
      var checked: [HandlerEffect] = []
      for var effect in effects {
        switch effect.action {
        case .createHandler(let command):
          if creations[command.id] == nil { creations[command.id] = command }
        case .callHandler(let id, _, let given):
          effect.unfit = try await unfit(given, for: .call, of: id, creations[id])
        case .invalidateHandler(let id, _, _, let given):
          effect.unfit = try await unfit(given, for: .invalidation, of: id, creations[id])
        case .resolvePromise, .createPromise: break
        }
        checked.append(effect)
      }
      return checked
    }.value
    return RequestedEffects(
      checked, runnableKinds: registry.kinds,
      kindsWithInvalidationCode: registry.kindsWithInvalidationCode)
  }

  /// - Parameter creation: The creation of the handler, if that is also an effect.
  private func unfit(
    _ given: ArgumentSet, for purpose: HandlerCallPurpose, of id: HandlerID,
    _ creation: CreateHandler?
  ) async throws -> UnfitArguments? {
    let entity = try await ledger.engine.read { try $0.handler(id) }
    guard let kind = entity?.kind ?? creation?.description.kind,
      let registration = registry[kind],
      purpose == .call || registration.hasInvalidationCode
    else { return nil }
    let bound =
      if let entity {
        try await ledger.records.load(entity.bound.arguments)
      } else {
        creation?.arguments.arguments ?? .none
      }
    let source = ArgumentSource(
      handler: .handler(id, kind: kind), bound: bound, given: given.arguments)
    return registration.problem(source, purpose, in: ledger, isComplete: true).map { error in
      UnfitArguments(binding: entity?.bound.position, error: error)
    }
  }
}
