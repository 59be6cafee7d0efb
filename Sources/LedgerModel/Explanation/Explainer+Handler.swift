extension Explainer {
  /// Explains a handler; `nil` if there is none.
  package func explain(_ id: HandlerID) throws(LedgerError) -> Explanation? {
    if let block = try block(id.entityID) {
      return Explanation(id: id.entityID, time: now, reasons: [.blocked(block)])
    }
    guard let entity = try state.handler(id) else { return nil }
    var reasons: [Explanation.Reason] = []
    for call in entity.callsInOrder { reasons.append(.call(try reason(of: call, entity))) }
    if let invalidation = entity.invalidation {
      let (reason, since) = (invalidation.reason, invalidation.fact.time)
      reasons.append(.ended(.invalidated(reason: reason, since: since)))
    } else if entity.status == .finished {
      let since = entity.lastFinish?.fact.time ?? entity.lastTime
      reasons.append(.ended(.finished(since: since)))
    } else if reasons.isEmpty {
      let since = entity.lastFinish?.fact.time ?? entity.created.time
      reasons.append(.call(.notCalled(id, kind: entity.kind, since: since)))
    }
    return Explanation(id: id.entityID, time: now, reasons: reasons)
  }

  private func reason(
    of call: OpenCall, _ handler: HandlerEntity
  ) throws(LedgerError) -> Explanation.Call {
    if let release = call.release {
      return .givenBack(
        handler.id, call.id, call.purpose, kind: handler.kind, release.reason,
        since: release.fact.time)
    }
    let (session, since) = (call.newestStart.session, call.newestStart.time)
    guard try presence(of: session) != .gone else {
      return .runsInLostProcess(call.id, call.purpose, session, since: since)
    }
    return .runs(call.id, call.purpose, session, since: since)
  }
}
