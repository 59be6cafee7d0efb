/// Records the result of a step, and carries out the effects that its body requested, all in one commit.
package struct FinishStep: EntityCommand {
  /// The result of the body.
  package enum Result: Sendable {
    case returned(typeTag: String, bytes: [UInt8])
    /// The body failed, and is not run again.
    case failed(StoredError)
    /// The work was cancelled, so the body was not run.
    case cancelled
  }

  package enum Answer: Sendable {
    /// The result is kept, now or since an earlier attempt to record it.
    case finished(Finished)
    /// An effect that the body requires was refused, so the body has failed.
    case refused(StoredError)
    /// The work has too many steps, or they are too large.
    case limitReached(LedgerError)
    /// Another attempt was started, or the work has ended.
    case superseded
  }

  package struct Finished: Sendable {
    package let step: WorkStep
    /// The number of the attempt that runs now.
    package let attempt: UInt32
    /// The calls for this session to run next, in the order in which the body made them.
    package let startedCalls: [StartedCall]
  }

  package let id: PromiseID
  package let attempt: UInt32
  package let step: StepIdentity
  package let result: Result
  /// The number of times that the body failed during the attempt.
  package let failureCount: UInt32
  package let startedAt: Timestamp
  package let effects: RequestedEffects

  package init(
    id: PromiseID, attempt: UInt32, step: StepIdentity, result: Result, failureCount: UInt32 = 0,
    startedAt: Timestamp, effects: RequestedEffects = .none
  ) {
    self.id = id
    self.attempt = attempt
    self.step = step
    self.result = result
    self.failureCount = failureCount
    self.startedAt = startedAt
    self.effects = effects
  }

  package func addSubjects(to needs: inout SnapshotNeeds, in session: SessionID) {
    needs.ids.insert(id.entityID)
    effects.addSubjects(to: &needs)
  }

  package func decide(in decision: inout Decision) throws(LedgerError) -> Answer {
    try effects.checkCount(of: "The step \(step) of work \(id)")
    try decision.timeOutIfDue(id)
    let mark = decision.mark
    guard let attempt = try decision.takeUp(id, attempt),
      let progress = try decision.promise(id)?.progress
    else { return .superseded }
    if let kept = progress.step(step) {
      return .finished(Finished(step: kept, attempt: attempt, startedCalls: []))
    }
    if case .cancelled = result, progress.cancelRequest == nil { return .superseded }
    var decider = EffectDecider(effects, cause: try decision.start(ofNewestAttempt: id))
    if let refused = try decider.decideAll(in: &decision) {
      try decision.rollBack(to: mark)
      return .refused(refused.error)
    }
    let finished = finished(
      attempt, failuresBefore: progress.failureCount(of: step),
      reason: progress.cancelRequest?.reason ?? "", decider.verdicts)
    if let error = try decision.keep(finished, of: id) {
      try decision.rollBack(to: mark)
      return .limitReached(error)
    }
    guard let kept = try decision.requirePromise(id).progress?.step(step) else {
      throw LedgerError(.internalInconsistency, "Step \(step) of work \(id) was not kept.")
    }
    return .finished(
      Finished(
        step: kept, attempt: attempt,
        startedCalls: decider.startedCalls + decider.startedInvalidations))
  }

  private func finished(
    _ attempt: UInt32, failuresBefore: UInt32, reason: String, _ effects: [DecidedEffect]
  ) -> WorkStepFinished {
    let outcome: WorkStepFinished.Outcome
    var tag = ""
    var content: [UInt8]
    switch result {
    case .returned(let typeTag, let bytes): (outcome, tag, content) = (.value, typeTag, bytes)
    case .failed(let error): (outcome, content) = (.failure, error.encoded)
    case .cancelled: (outcome, content) = (.cancelled, Array(reason.utf8))
    }
    let (sum, isOver) = failuresBefore.addingReportingOverflow(failureCount)
    return WorkStepFinished(
      attempt: attempt, step: step, outcome: outcome, failureCount: isOver ? .max : sum,
      startedAt: startedAt, typeTag: tag, effects: effects, result: content)
  }
}

extension Decision {
  /// Appends the result of a step, unless the work has too many steps.
  ///
  /// - Returns: The reason why the result is not kept.
  mutating func keep(
    _ finished: WorkStepFinished, of id: PromiseID
  ) throws(LedgerError) -> LedgerError? {
    let progress = try requirePromise(id).progress
    let steps = progress?.steps ?? []
    let usesReserve =
      progress?.cancelRequest != nil || finished.outcome != .value
      || steps.contains { $0.outcome != .value }
    guard steps.count < WorkStep.maximumCount + (usesReserve ? WorkStep.reservedCount : 0) else {
      return LedgerError(
        .invalidArgument,
        "Work \(id) has finished \(steps.count) steps, the maximum, so step \(finished.step) cannot be kept. Start other work for a part of the steps."
      )
    }
    let byteCount = steps.reduce(finished.encoded.count) { $0 + $1.byteCount }
    let maximum = WorkStep.maximumByteCount + (usesReserve ? WorkStep.reservedByteCount : 0)
    guard byteCount <= maximum else {
      return LedgerError(
        .payloadTooLarge,
        "The steps of work \(id) have \(byteCount) bytes with step \(finished.step); the maximum is \(maximum). Keep large results elsewhere, and return a reference to them."
      )
    }
    try appendAttaching(finished, to: id.entityID, cause: start(ofNewestAttempt: id))
    return nil
  }
}
