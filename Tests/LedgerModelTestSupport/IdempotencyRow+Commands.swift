package import LedgerModel

/// The table in the words of the reducer.
extension IdempotencyTable.Row {
  /// The events that lead to the stored state.
  package func storedEvents(on id: PromiseID, deadline: Timestamp, time: Timestamp) -> [NewEvent] {
    guard stored.state != .absent else { return [] }
    let created = PromiseCreated(
      typeTag: "text", deadline: stored.state == .timedOut ? deadline : nil,
      idempotencyKey: stored.createKey)
    var events = [NewEvent.of(created, on: id.entityID, at: time)]
    switch stored.state {
    case .absent, .pending: break
    case .timedOut:
      let timedOut = PromiseResolved(
        outcome: .timedOut, resolvedAt: deadline, idempotencyKey: nil, content: [])
      events.append(.of(timedOut, on: id.entityID, at: time))
    case .resolved(let outcome):
      let resolved = PromiseResolved(
        outcome: outcome.kind, resolvedAt: time, idempotencyKey: stored.resolveKey,
        content: [7])
      events.append(.of(resolved, on: id.entityID, at: time))
    }
    return events
  }

  /// Carries out the request.
  package func ask(_ ledger: inout PureLedger, _ id: PromiseID) throws(LedgerError)
    -> IdempotencyOracle.Verdict
  {
    switch request.operation {
    case .create:
      let create = CreatePromise(id, idempotencyKey: request.key, isStrict: request.isStrict)
      return try ledger.commit(create).verdict
    case .resolve(let outcome):
      let resolve = ResolvePromise(
        id, outcome.kind, idempotencyKey: request.key, isStrict: request.isStrict)
      return try ledger.commit(resolve).verdict
    }
  }
}

extension IdempotencyOracle.Outcome {
  package var kind: PromiseOutcomeKind {
    switch self {
    case .fulfilled: .fulfilled
    case .rejected: .rejected
    case .cancelled: .cancelled
    }
  }
}

extension IdempotencyOracle.Stored {
  /// The state of a reducer's promise in the words of the rule.
  package init(_ entity: PromiseEntity?) throws(LedgerError) {
    guard let entity else {
      self.init(state: .absent)
      return
    }
    let resolved = try entity.resolved()
    let state: IdempotencyOracle.State =
      switch resolved?.outcome {
      case nil: .pending
      case .fulfilled: .resolved(.fulfilled)
      case .rejected: .resolved(.rejected)
      case .cancelled: .resolved(.cancelled)
      case .timedOut: .timedOut
      }
    self.init(
      state: state, createKey: try entity.creation().idempotencyKey,
      resolveKey: resolved?.idempotencyKey)
  }
}

extension CreatePromise.Answer {
  package var verdict: IdempotencyOracle.Verdict {
    switch self {
    case .created: .created
    case .deduplicated: .deduplicated
    case .conflict: .conflict
    }
  }
}

extension ResolvePromise.Answer {
  /// The rule does not speak of abandoned promises, and the table has none.
  package var verdict: IdempotencyOracle.Verdict {
    switch self {
    case .resolved: .resolved
    case .deduplicated: .deduplicated
    case .alreadyResolved, .abandoned: .alreadyResolved
    case .notFound: .notFound
    }
  }
}
