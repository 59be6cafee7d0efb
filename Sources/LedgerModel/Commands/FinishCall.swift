/// Ends a run of a handler or of its invalidation code, and carries out the effects that the code requested,
/// all in one commit.
package struct FinishCall: Command {
  package indirect enum Answer: Sendable {
    case finished(Finished)
    /// The attempt is not the newest attempt of an open call: the call ended, or another attempt began.
    case superseded
    /// The call failed without any effect of its code, because a required effect was refused.
    case requiredEffectRefused(DecidedEffect, StoredError, HandlerEntity)
  }

  package struct Finished: Sendable {
    package let effects: [DecidedEffect]
    /// The calls for this session to run next, in the order in which the code made them.
    package let startedCalls: [StartedCall]
    /// The runs of invalidation code for this session to run next.
    package let startedInvalidations: [StartedCall]
  }

  package let id: HandlerID
  package let call: CallID
  package let attempt: UInt32
  package let result: HandlerCallFinished.Result
  package let effects: RequestedEffects
  /// The promise that is rejected if the call fails while the promise is pending.
  package let promiseToReject: PromiseID?

  package init(
    id: HandlerID, call: CallID, attempt: UInt32, result: HandlerCallFinished.Result,
    effects: RequestedEffects = .none, promiseToReject: PromiseID? = nil
  ) {
    self.id = id
    self.call = call
    self.attempt = attempt
    self.result = result
    self.effects = effects
    self.promiseToReject = promiseToReject
  }

  package func addSubjects(to needs: inout SnapshotNeeds, in session: SessionID) {
    needs.ids.insert(id.entityID)
    effects.addSubjects(to: &needs)
    if let promiseToReject { needs.ids.insert(promiseToReject.entityID) }
  }

  package func decide(in decision: inout Decision) throws(LedgerError) -> Answer {
    try effects.checkCount(of: "A call of handler \(id)")
    guard let open = try decision.knownHandler(id)?.openCalls[call], open.attempt == attempt else {
      return .superseded
    }
    if case .failed(let error) = result {
      return .finished(try fail(open, with: error, in: &decision))
    }
    var decider = EffectDecider(effects, cause: open.newestStart.position)
    if let (decided, error) = try decider.decideAll(in: &decision) {
      _ = try fail(open, with: error, refusing: decided, in: &decision)
      return .requiredEffectRefused(decided, error, try decision.requireHandler(id))
    }
    let report = HandlerCallFinished.Report(effects: decider.verdicts, result: result)
    try end(open, report, in: &decision)
    return .finished(
      Finished(
        effects: report.effects, startedCalls: decider.startedCalls,
        startedInvalidations: decider.startedInvalidations))
  }

  /// Ends the run as failed, and rejects the promise that would otherwise wait for it forever.
  ///
  /// - Parameter refused: The required effect that made the call fail, if there is one.
  private func fail(
    _ open: OpenCall, with error: StoredError, refusing refused: DecidedEffect? = nil,
    in decision: inout Decision
  ) throws(LedgerError) -> Finished {
    var effects = refused.map { [$0] } ?? []
    if let promiseToReject {
      var decider = EffectDecider(.none, cause: open.newestStart.position)
      let rejection = ResolvePromise(
        id: promiseToReject, outcome: .rejected, content: error.encoded, typeTag: nil,
        idempotencyKey: nil, isStrict: true)
      effects.append(
        try decider.decide(HandlerEffect(.resolvePromise(rejection)), in: &decision))
    }
    let report = HandlerCallFinished.Report(effects: effects, result: .failed(error))
    try end(open, report, in: &decision)
    return Finished(effects: effects, startedCalls: [], startedInvalidations: [])
  }

  /// Appends the end of the run after its effects.
  private func end(
    _ open: OpenCall, _ report: HandlerCallFinished.Report, in decision: inout Decision
  ) throws(LedgerError) {
    let end = HandlerCallFinished.End(call: call, attempt: attempt, report: report)
    let cause = open.newestStart.position
    switch open.purpose {
    case .call:
      try decision.appendAttaching(HandlerCallFinished(end), to: id.entityID, cause: cause)
    case .invalidation:
      try decision.appendAttaching(
        HandlerInvalidationFinished(end), to: id.entityID, cause: cause)
    }
  }
}
