/// Cancels work: at once, or by asking the code that runs to end.
package struct CancelWork: EntityCommand {
  package enum Answer: Sendable {
    /// The promise is cancelled.
    case cancelled(PromiseEntity)
    /// The code runs, or has finished steps. The promise is cancelled when the code fails, or fulfilled if the
    /// code returns.
    case requested(PromiseEntity)
    /// The promise was settled or abandoned before.
    case ended(PromiseEntity)
    case notFound
  }

  package let id: PromiseID
  package let reason: String

  package init(id: PromiseID, reason: String) {
    self.id = id
    self.reason = reason
  }

  package func decide(in decision: inout Decision) throws(LedgerError) -> Answer {
    try decision.timeOutIfDue(id)
    guard let entity = try decision.knownPromise(id) else { return .notFound }
    try entity.requireWork()
    guard let place = entity.workPlace else { return .ended(entity) }
    // Code that finished steps may have something to undo, so it runs again to learn of the request.
    let hasSteps = !(entity.progress?.steps.isEmpty ?? true)
    guard place.isRunning || hasSteps && !place.isParked else {
      try decision.settle(
        id,
        PromiseResolved(
          outcome: .cancelled, resolvedAt: decision.now, content: Array(reason.utf8)))
      return .cancelled(try decision.requirePromise(id))
    }
    if entity.progress?.cancelRequest == nil {
      try decision.append(WorkCancelRequested(reason: reason), to: id.entityID)
    }
    return .requested(try decision.requirePromise(id))
  }
}

/// Changes pending work as an operator asks.
package struct AmendWork: EntityCommand {
  package enum Answer: Sendable {
    case amended(PromiseEntity)
    /// A session is running an attempt, so the work cannot be parked.
    case running(SessionID)
    /// The promise was settled or abandoned before.
    case ended(PromiseEntity)
    case notFound
  }

  package let id: PromiseID
  package let amended: WorkAmended

  package init(id: PromiseID, _ amended: WorkAmended) {
    self.id = id
    self.amended = amended
  }

  package func decide(in decision: inout Decision) throws(LedgerError) -> Answer {
    try decision.timeOutIfDue(id)
    guard let entity = try decision.knownPromise(id) else { return .notFound }
    try entity.requireWork()
    guard let place = entity.workPlace else { return .ended(entity) }
    if amended.parking == .parked, case .running(let session) = place.phase {
      return .running(session)
    }
    try decision.requireAwaited(by: amended.trigger, of: id)
    try decision.appendAttaching(amended, to: id.entityID)
    return .amended(try decision.requirePromise(id))
  }
}

/// Makes work due at once, or lets parked work wait again for its promise.
package struct RetryWork: EntityCommand {
  package let id: PromiseID

  package init(id: PromiseID) { self.id = id }

  package func decide(in decision: inout Decision) throws(LedgerError) -> AmendWork.Answer {
    let entity = try decision.promise(id)
    // Its code must not run without the outcome that it waits for, or after another one.
    var trigger: WorkTrigger? = .now
    if entity?.progress?.start == nil, case .after? = try entity?.creation().work?.trigger {
      trigger = nil
    }
    let amended = WorkAmended(parking: .resumed, trigger: trigger)
    let answer = try decision.run(AmendWork(id: id, amended))
    guard case .amended(let entity) = answer,
      case .after(let awaited, _)? = entity.workPlace?.trigger,
      let promise = try decision.promise(awaited), let outcome = try FollowedOutcome(promise),
      try decision.follow(outcome, id)
    else { return answer }
    try decision.settleFollowers(of: [id])
    return .ended(try decision.requirePromise(id))
  }
}

/// Gives work the outcome of a promise that was settled in a way for which the work does not wait.
package struct FollowOutcome: Command {
  /// The settled promise.
  package let promise: PromiseID
  /// The content of its outcome, if that is stored beside its event.
  package let content: [UInt8]?
  /// The work.
  package let ids: [PromiseID]

  package init(_ promise: PromiseID, content: [UInt8]? = nil, by ids: [PromiseID]) {
    self.promise = promise
    self.content = content
    self.ids = ids
  }

  package func addSubjects(to needs: inout SnapshotNeeds, in session: SessionID) {
    needs.ids.insert(promise.entityID)
    for id in ids { needs.ids.insert(id.entityID) }
  }

  package func decide(in decision: inout Decision) throws(LedgerError) {
    guard let entity = try decision.promise(promise),
      let outcome = try FollowedOutcome(entity, content: content)
    else { return }
    try decision.lookUpAll(ids) { (id) throws(LedgerError) in
      _ = try decision.readablePromise(id)
    }
    var settled: [PromiseID] = []
    for id in ids where try decision.follow(outcome, id) { settled.append(id) }
    try decision.settleFollowers(of: settled)
  }
}

extension Decision {
  /// Rejects a trigger whose promise does not exist, because it would never become due.
  func requireAwaited(by trigger: WorkTrigger?, of id: PromiseID) throws(LedgerError) {
    guard case .after(let awaited, _)? = trigger else { return }
    guard awaited != id else {
      throw LedgerError(.invalidArgument, "The work of promise \(id) cannot wait for itself.")
    }
    guard try knownPromise(awaited) != nil else { throw .notFound(awaited) }
  }
}

extension PromiseEntity {
  fileprivate func requireWork() throws(LedgerError) {
    guard !isWork else { return }
    throw LedgerError(
      .invalidArgument,
      "\(name) is not settled by code, so it has no work. Resolve or abandon the promise itself.")
  }
}

extension WorkError {
  static func returnedOtherType(_ returned: String, than expected: String) -> StoredError {
    StoredError(
      domain: domain, code: 4,
      message:
        "The code returned a value of the type \(returned), but the promise has values of the type \(expected)."
    )
  }
}

extension LedgerError {
  static func promiseIsComputed(_ entity: PromiseEntity) -> LedgerError {
    LedgerError(
      .promiseIsComputed,
      "\(entity.name) is settled by its code, so it cannot be resolved from outside. Cancel its work, or wait for the code."
    )
  }
}
