extension Ledger {
  /// The open handlers and the pending work that this session cannot run.
  ///
  /// - Parameters:
  ///   - steps: The types of steps that recorded ones must have.
  ///   - hasValues: Whether values can be decoded; those of a redacted recording cannot.
  package func runnabilityDivergences(
    steps: [StepExpectation], hasValues: Bool
  ) async throws -> [RecordingDivergence] {
    var found: [RecordingDivergence] = []
    for problem in try await preflight() where hasValues || problem.error.code != .decodingFailed {
      let position = try await record(of: problem.handler)?.created.position
      found.append(
        RecordingDivergence(problem.error, problem.kind, at: position, problem.handler.entityID))
    }
    var ids: [PromiseID] = []
    try await state().forEachWork(at: now) { record, _ in
      ids.append(record.id)
      return true
    }
    for id in ids {
      guard let work = try await engine.read({ try $0.promise(id) }) else { continue }
      found += try await divergences(of: work, steps, hasValues: hasValues)
    }
    return found
  }

  private func divergences(
    of work: PromiseEntity, _ steps: [StepExpectation], hasValues: Bool
  ) async throws -> [RecordingDivergence] {
    guard let creation = try work.creation().work else { return [] }
    let (id, position) = (work.id, work.created.position)
    var found: [RecordingDivergence] = []
    if let error = try await problem(of: work, creation),
      hasValues || error.code != .decodingFailed
    {
      found.append(RecordingDivergence(error, creation.kind, at: position, id.entityID))
      if error.code == .handlerUnregistered { return found }
    }
    for step in work.progress?.steps ?? [] where step.outcome == .value {
      guard
        let expectation = steps.first(where: {
          $0.kinds.contains(creation.kind) && $0.step == step.identity.name
        })
      else { continue }
      let (recorded, codec) = (try step.finished().typeTag, try expectation.codec(self))
      guard recorded != codec.tag, !codec.formerTags.contains(recorded) else { continue }
      found.append(
        RecordingDivergence(
          .stepTypeMismatch, at: step.fact.position, of: id.entityID,
          expected: "step \(step.identity) with a value of the type \(codec.tag)",
          actual: recorded))
    }
    return found
  }
}

extension RecordingDivergence {
  /// The reason why code cannot be run.
  fileprivate init(
    _ error: LedgerError, _ kind: String, at position: Position?, _ subject: EntityID
  ) {
    let (divergence, expected): (Kind, String) =
      switch error.code {
      case .handlerUnregistered: (.missingKind, "the kind \(kind) in the registry")
      case .argumentMismatch, .argumentMissing:
        (.argumentMismatch, "arguments that fit the kind \(kind)")
      default: (.notRunnable, "code of the kind \(kind) that can run")
      }
    self.init(
      divergence, at: position, of: subject, expected: expected, actual: error.message)
  }

  /// Adds the events around the position.
  package func around(_ context: [String]) -> RecordingDivergence {
    RecordingDivergence(
      kind, at: position, of: subject, expected: expected, actual: actual, context: context)
  }
}
