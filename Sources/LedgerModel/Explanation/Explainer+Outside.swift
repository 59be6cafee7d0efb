extension Explainer {
  /// The reasons why a pending promise without work is not resolved.
  func reasonsOutside(_ entity: PromiseEntity) throws(LedgerError) -> [Explanation.Reason] {
    let (id, creator) = (entity.id, entity.created.session)
    var outside: [Explanation.Outside] = [
      .resolution(id, createdBy: creator, since: entity.created.time)
    ]
    if try presence(of: creator) == .gone {
      outside.append(.creatorIsGone(id, creator, isPending: true))
    }
    let handlers = try state.openHandlers().filter { $0.refers(to: id) }
    if !handlers.isEmpty {
      outside.append(.handlers(handlers.prefix(Self.maximumCount).map(\.id)))
    }
    var calls: [Explanation.RunningCall] = []
    for handler in handlers { calls += try runningCalls(of: handler, referringTo: id) }
    if !calls.isEmpty { outside.append(.calls(Array(calls.prefix(Self.maximumCount)))) }
    var work: [PromiseID] = []
    for entity in try state.openWork() where work.count < Self.maximumCount {
      if entity.status == .pending, try entity.refers(to: id) { work.append(entity.id) }
    }
    if !work.isEmpty { outside.append(.work(work)) }
    return outside.map(Explanation.Reason.outside)
  }

  private func runningCalls(
    of handler: HandlerEntity, referringTo id: PromiseID
  ) throws(LedgerError) -> [Explanation.RunningCall] {
    var calls: [Explanation.RunningCall] = []
    for call in handler.callsInOrder where call.refers(to: id) {
      guard let session = call.runningSession, try presence(of: session) != .gone else { continue }
      calls.append(
        Explanation.RunningCall(
          handler: handler.id, call: call.id, session: session, since: call.newestStart.time))
    }
    return calls
  }

  /// The reasons why nothing more happens to a promise that is not pending.
  func reasonsAfterOutcome(_ entity: PromiseEntity) throws(LedgerError) -> [Explanation.Reason] {
    switch entity.closing {
    case .consumed(let fact, _): return [.ended(.consumed(since: fact.time))]
    case .abandoned(let fact, let reason):
      return [.ended(.abandoned(reason: reason, since: fact.time))]
    case nil: break
    }
    guard let resolution = entity.resolution else { return [] }
    let (outcome, since) = (resolution.outcome, resolution.resolvedAt)
    guard !entity.endsWhenSettled else { return [.ended(.settled(outcome, since: since))] }
    var reasons: [Explanation.Reason] = [
      .outside(.consumption(entity.id, outcome, since: since))
    ]
    let creator = entity.created.session
    if try presence(of: creator) == .gone {
      reasons.append(.outside(.creatorIsGone(entity.id, creator, isPending: false)))
    }
    return reasons
  }
}

extension HandlerEntity {
  /// Whether the arguments of the handler, or of one of its unfinished calls, contain a promise.
  fileprivate func refers(to promise: PromiseID) -> Bool {
    bound.references.promises.contains(promise)
      || openCalls.values.contains { $0.refers(to: promise) }
  }
}

extension OpenCall {
  /// Whether the arguments of the call contain a promise.
  fileprivate func refers(to promise: PromiseID) -> Bool {
    references.promises.contains(promise) || bound.references.promises.contains(promise)
  }
}

extension PromiseEntity {
  /// Whether the arguments of the work contain a promise.
  fileprivate func refers(to promise: PromiseID) throws(LedgerError) -> Bool {
    if let amended = progress?.arguments { return amended.references.promises.contains(promise) }
    return try creation().work?.references.promises.contains(promise) ?? false
  }
}
