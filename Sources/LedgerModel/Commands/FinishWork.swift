/// Ends an attempt of work, and carries out the effects that its code requested, all in one commit.
package struct FinishWork: EntityCommand {
  /// The result of the code.
  package enum Result: Sendable {
    case returned(typeTag: String, bytes: [UInt8])
    /// - Parameter isFinal: Whether another attempt would fail in the same way.
    case failed(StoredError, isFinal: Bool)
    /// The code ended with the error by which a step told it that the work was cancelled.
    case cancelled(StoredError)
  }

  package enum Answer: Sendable {
    /// The promise is settled.
    case settled(Settled)
    /// The code failed, and is run again at a later time.
    case retrying(at: Timestamp, StoredError)
    /// The code failed, and an operator decides.
    case parked(StoredError)
    /// Another attempt was started, or the work has ended.
    case superseded
  }

  package struct Settled: Sendable {
    package let entity: PromiseEntity
    package let effects: [DecidedEffect]
    /// The calls for this session to run next, in the order in which the code made them.
    package let startedCalls: [StartedCall]
  }

  package let id: PromiseID
  package let attempt: UInt32
  package let result: Result
  /// The start of the attempt that began with the beginning of the code; `nil` for that of the newest attempt. Code
  /// that goes on in memory belongs to later attempts, too.
  package let codeStart: Position?
  package let effects: RequestedEffects
  /// Former names of the value's type.
  package let formerTypeTags: [String]
  /// The policy of the kind, if the work has none of its own.
  package let policy: WorkRetryPolicy

  package init(
    id: PromiseID, attempt: UInt32, result: Result, codeStart: Position? = nil,
    effects: RequestedEffects = .none,
    formerTypeTags: [String] = [], policy: WorkRetryPolicy = .standard
  ) {
    self.id = id
    self.attempt = attempt
    self.result = result
    self.codeStart = codeStart
    self.effects = effects
    self.formerTypeTags = formerTypeTags
    self.policy = policy
  }

  package func addSubjects(to needs: inout SnapshotNeeds, in session: SessionID) {
    needs.ids.insert(id.entityID)
    effects.addSubjects(to: &needs)
  }

  package func decide(in decision: inout Decision) throws(LedgerError) -> Answer {
    try effects.checkCount(of: "The work of promise \(id)")
    try decision.timeOutIfDue(id)
    guard let attempt = try decision.takeUp(id, attempt) else { return .superseded }
    let entity = try decision.requirePromise(id)
    switch result {
    case .returned(let typeTag, let bytes):
      return try finish(entity, attempt, typeTag, bytes, in: &decision)
    case .failed(let error, let isFinal):
      return try fail(entity, attempt, error, isFinal: isFinal, in: &decision)
    case .cancelled(let error):
      guard let request = entity.progress?.cancelRequest else {
        return try fail(entity, attempt, error, isFinal: true, in: &decision)
      }
      return try cancel(attempt, request, [], in: &decision)
    }
  }

  // MARK: Returned

  private func finish(
    _ entity: PromiseEntity, _ attempt: UInt32, _ typeTag: String, _ bytes: [UInt8],
    in decision: inout Decision
  ) throws(LedgerError) -> Answer {
    let mark = decision.mark
    let cause = try decision.start(ofNewestAttempt: id)
    var decider = EffectDecider(effects, cause: cause)
    if let refused = try decider.decideAll(in: &decision) {
      return try fail(
        entity, attempt, refused.error, refusing: refused.effect, isFinal: false, in: &decision)
    }
    let expected = try entity.typeTag()
    guard expected == typeTag || formerTypeTags.contains(expected) else {
      try decision.rollBack(to: mark)
      let error = WorkError.returnedOtherType(typeTag, than: expected)
      guard entity.progress?.cancelRequest == nil else {
        return try fail(entity, attempt, error, isFinal: true, in: &decision)
      }
      return try park(attempt, error, in: &decision)
    }
    try settle(
      .fulfilled, attempt, decider.verdicts, then: bytes, cause: cause, in: &decision)
    return .settled(
      Settled(
        entity: try decision.requirePromise(id), effects: decider.verdicts,
        startedCalls: decider.startedCalls + decider.startedInvalidations))
  }

  private func settle(
    _ outcome: PromiseOutcomeKind, _ attempt: UInt32, _ effects: [DecidedEffect],
    then value: [UInt8], cause: Position, in decision: inout Decision
  ) throws(LedgerError) {
    let resolved = PromiseResolved(
      outcome: outcome, resolvedAt: decision.now, attempt: attempt,
      content: PromiseResolved.content(effects: effects, then: value))
    try decision.settle(id, resolved, cause: cause)
  }

  // MARK: Failed

  /// - Parameter refused: The required effect that made the attempt fail, if there is one.
  private func fail(
    _ entity: PromiseEntity, _ attempt: UInt32, _ error: StoredError,
    refusing refused: DecidedEffect? = nil, isFinal: Bool, in decision: inout Decision
  ) throws(LedgerError) -> Answer {
    let progress = try decision.requirePromise(id).progress
    let effects = refused.map { [$0] } ?? []
    let cause = progress?.start?.position ?? .start
    if let request = progress?.cancelRequest {
      // Code with steps must learn of the request from a step, because it may have something to undo. If it began
      // after the request, it had the opportunity.
      if !(progress?.knowsOfCancellation ?? false) {
        let start = codeStart ?? progress?.start?.position ?? .start
        let hadOpportunity = start > request.fact.position
        if hadOpportunity || !(progress?.mayHaveSomethingToUndo ?? false) {
          return try cancel(attempt, request, effects, in: &decision)
        }
        let released = WorkReleased(
          attempt: attempt, reason: .retrying, retryTime: decision.now, error: error.summary)
        try decision.append(released, to: id.entityID, cause: cause)
        return .retrying(at: decision.now, error)
      }
    }
    let options = try entity.workOptions()
    let policy = options.retryPolicy ?? policy
    let failureCount = 1 + UInt64(progress?.failureCount ?? 0)
    let retryTime = decision.now + policy.delay(after: failureCount, of: id)
    let isExhausted = isFinal || policy.failureLimit.map { failureCount >= UInt64($0) } ?? false
    let mayBeUndoing = progress?.mayBeUndoing ?? false
    let isLate = !mayBeUndoing && options.givesUpAfter.map { retryTime >= $0 } ?? false
    if !isExhausted, !isLate {
      let released = WorkReleased(
        attempt: attempt, reason: .retrying, failureCount: 1, retryTime: retryTime,
        error: error.summary)
      try decision.append(released, to: id.entityID, cause: cause)
      return .retrying(at: retryTime, error)
    }
    // Work that is only too late is rejected, as it would be at its next attempt.
    if isExhausted, policy.givingUp == .park { return try park(attempt, error, in: &decision) }
    try settle(.rejected, attempt, effects, then: error.encoded, cause: cause, in: &decision)
    return .settled(try settled(effects, in: decision))
  }

  private func cancel(
    _ attempt: UInt32, _ request: WorkProgress.CancelRequest, _ effects: [DecidedEffect],
    in decision: inout Decision
  ) throws(LedgerError) -> Answer {
    let cause = try decision.start(ofNewestAttempt: id)
    try settle(
      .cancelled, attempt, effects, then: Array(request.reason.utf8), cause: cause, in: &decision)
    return .settled(try settled(effects, in: decision))
  }

  private func settled(
    _ effects: [DecidedEffect], in decision: Decision
  ) throws(LedgerError) -> Settled {
    Settled(entity: try decision.requirePromise(id), effects: effects, startedCalls: [])
  }

  private func park(
    _ attempt: UInt32, _ error: StoredError, in decision: inout Decision
  ) throws(LedgerError) -> Answer {
    let cause = try decision.start(ofNewestAttempt: id)
    let released = WorkReleased(
      attempt: attempt, reason: .parked, failureCount: 1, error: error.summary)
    try decision.append(released, to: id.entityID, cause: cause)
    return .parked(error)
  }
}

/// Gives back an attempt of work, so that another session may run it.
package struct ReleaseWork: EntityCommand {
  package let id: PromiseID
  package let attempt: UInt32
  package let reason: WorkReleased.Reason
  /// The reason why the session cannot run it.
  package let error: StoredError?

  package init(
    id: PromiseID, attempt: UInt32, reason: WorkReleased.Reason, error: StoredError? = nil
  ) {
    self.id = id
    self.attempt = attempt
    self.reason = reason
    self.error = error
  }

  /// - Returns: Whether the attempt was running.
  package func decide(in decision: inout Decision) throws(LedgerError) -> Bool {
    guard let entity = try decision.promise(id), entity.status == .pending,
      let progress = entity.progress, progress.attempt == attempt,
      progress.runningSession == decision.context.session
    else { return false }
    try decision.append(
      WorkReleased(
        attempt: attempt, reason: reason, failureCount: reason == .parked ? 1 : 0,
        error: error?.summary),
      to: id.entityID, cause: progress.start?.position ?? .start)
    return true
  }
}
