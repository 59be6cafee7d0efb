/// Creates a promise, or finds the existing one.
package struct CreatePromise: EntityCommand {
  package indirect enum Answer: Sendable {
    case created
    case deduplicated(PromiseEntity)
    case conflict(PromiseEntity)
  }

  package let id: PromiseID
  package let creation: PromiseCreated
  /// Whether the creation finds a promise only if it is still pending.
  package let isStrict: Bool
  /// Whether the creation finds a promise in any state, regardless of the request that created it.
  package let adoptsAny: Bool
  /// Former names of the value's type; an adopted promise may have one of them.
  package let formerTypeTags: [String]
  /// Former names of the kind of work.
  package let formerKinds: [String]
  /// The attempt of the parent whose code asks for the creation; `nil` if no code does.
  package let parentAttempt: UInt32?
  /// The event that led to the creation.
  package var cause: Position

  package init(
    id: PromiseID, creation: PromiseCreated, isStrict: Bool, adoptsAny: Bool = false,
    formerTypeTags: [String] = [], formerKinds: [String] = [], parentAttempt: UInt32? = nil,
    cause: Position = .start
  ) {
    self.id = id
    self.parentAttempt = parentAttempt
    self.formerTypeTags = formerTypeTags
    self.formerKinds = formerKinds
    self.creation = creation
    self.isStrict = isStrict
    self.adoptsAny = adoptsAny
    self.cause = cause
  }

  package func decide(in decision: inout Decision) throws(LedgerError) -> Answer {
    guard let entity = try decision.timeOutIfDue(id) else {
      try decision.refuseIfRemoved(id.entityID)
      try create(in: &decision)
      return .created
    }
    if adoptsAny {
      try entity.requireType(creation.typeTag, orOneOf: formerTypeTags)
      return .deduplicated(entity)
    }
    let stored = try entity.creation()
    let isSameRequest =
      creation.idempotencyKey != nil
      && creation.idempotencyKey == stored.idempotencyKey && isSameCode(as: stored)
    return isSameRequest && (!isStrict || entity.status == .pending)
      ? .deduplicated(entity) : .conflict(entity)
  }
}

extension CreatePromise {
  /// Whether the same code settles the promise, or neither is settled by code: the code of work must run, and
  /// an outcome must be of the type that the caller expects.
  private func isSameCode(as stored: PromiseCreated) -> Bool {
    guard let work = creation.work else {
      return stored.work == nil && creation.joint == stored.joint
    }
    guard let other = stored.work else { return false }
    return other.kind == work.kind || formerKinds.contains(other.kind)
  }

  private func create(in decision: inout Decision) throws(LedgerError) {
    if let parent = creation.parent, let work = try decision.readablePromise(parent) {
      try requireChildOf(work, in: decision)
    }
    if let joint = creation.joint {
      try decision.requireInputs(of: joint)
      try decision.append(creation, to: id.entityID, cause: cause)
      _ = try decision.settleJointIfDecided(id)
      return
    }
    guard let work = creation.work else {
      return try decision.append(creation, to: id.entityID, cause: cause)
    }
    try decision.requireAwaited(by: work.trigger, of: id)
    try decision.requirePlaceInQueue(of: creation, work)
    var creation = creation
    if let former = try formerTypeTag(ofValueFor: work.trigger, in: decision) {
      creation.typeTag = former
    }
    try decision.appendAttaching(creation, to: id.entityID, cause: cause)
    // The awaited promise may have been settled before, in another way.
    guard case .after(let awaited, _) = work.trigger, let promise = try decision.promise(awaited),
      let outcome = try FollowedOutcome(promise)
    else { return }
    _ = try decision.follow(outcome, id)
  }

  /// The type of the awaited promise, if that is the same type as the work's, under a former name, and the work takes
  /// over its value instead of running after it.
  private func formerTypeTag(
    ofValueFor trigger: WorkTrigger, in decision: Decision
  ) throws(LedgerError) -> String? {
    guard !formerTypeTags.isEmpty, case .after(let awaited, .failed) = trigger,
      let promise = try decision.readablePromise(awaited)
    else { return nil }
    let typeTag = try promise.typeTag()
    return formerTypeTags.contains(typeTag) ? typeTag : nil
  }

  /// Rejects a child that nothing would cancel any more, or that an attempt wants which is not the newest.
  private func requireChildOf(
    _ work: PromiseEntity, in decision: Decision
  ) throws(LedgerError) {
    guard work.status == .pending else { throw .parentEnded(work) }
    guard let parentAttempt, let progress = work.progress else { return }
    guard progress.belongs(toAttempt: parentAttempt, in: decision.context.session) else {
      throw .attemptEnded(of: work)
    }
    // A child that is created after the request counts as one that undoes something.
    if progress.cancelRequest != nil, !progress.knowsOfCancellation { throw .cancelled(work) }
  }
}

extension Decision {
  /// Refuses work that is due at once if as much as the session allows waits for a runner.
  ///
  /// Children are not refused: their parent could not end without them, and the queue would never get shorter.
  fileprivate func requirePlaceInQueue(
    of creation: PromiseCreated, _ work: PromiseCreated.Work
  ) throws(LedgerError) {
    guard let maximum = context.maximumQueuedWorkCount, creation.parent == nil,
      work.trigger == .now
    else { return }
    let count = base.queuedWorkCount + staged.queuedWorkCountChange
    guard count >= maximum else { return }
    throw LedgerError(
      .tooManyQueued,
      "\(count) pieces of work wait for a runner already; the session allows \(maximum). Nothing was started: try again later, run more at once or in more processes, or raise the limit (maximumQueuedWorkCount)."
    )
  }
}

extension LedgerError {
  /// The refusal of a child that nothing would cancel any more.
  fileprivate static func parentEnded(_ parent: PromiseEntity) -> LedgerError {
    LedgerError(
      .superseded,
      "The work of \(parent.name) has ended, so its code cannot start anything more. Return from the code."
    )
  }

  fileprivate static func attemptEnded(of parent: PromiseEntity) -> LedgerError {
    LedgerError(
      .superseded,
      "Another attempt of \(parent.name) was started, so the code of this one cannot start anything more.",
      cause: ChildRefusal.attemptEnded)
  }

  fileprivate static func cancelled(_ parent: PromiseEntity) -> LedgerError {
    LedgerError(
      .superseded, "\(parent.name) was cancelled, so its code must not start anything more.",
      cause: ChildRefusal.parentCancelled)
  }
}

/// Resolves a promise.
package struct ResolvePromise: EntityCommand {
  package indirect enum Answer: Sendable {
    case resolved(PromiseEntity)
    case deduplicated(PromiseEntity)
    case alreadyResolved(PromiseEntity)
    case abandoned(PromiseEntity)
    case notFound
  }

  package let id: PromiseID
  package let outcome: PromiseOutcomeKind
  package let content: [UInt8]
  /// The type of a fulfilment's value, which must be that of the promise.
  package let typeTag: String?
  /// Former names of the type; the promise may have one of them.
  package let formerTypeTags: [String]
  package let idempotencyKey: String?
  package let isStrict: Bool
  /// Whether an operator settles even a promise that is settled by code.
  package let isForced: Bool
  /// The event that led to the resolution.
  package var cause: Position

  package init(
    id: PromiseID, outcome: PromiseOutcomeKind, content: [UInt8], typeTag: String?,
    formerTypeTags: [String] = [], idempotencyKey: String?, isStrict: Bool, isForced: Bool = false,
    cause: Position = .start
  ) {
    self.id = id
    self.formerTypeTags = formerTypeTags
    self.outcome = outcome
    self.content = content
    self.typeTag = typeTag
    self.idempotencyKey = idempotencyKey
    self.isStrict = isStrict
    self.isForced = isForced
    self.cause = cause
  }

  package func decide(in decision: inout Decision) throws(LedgerError) -> Answer {
    let found = try decision.timeOutIfDue(id)
    guard let entity = try decision.known(found, or: id.entityID) else { return .notFound }
    if case .abandoned = entity.closing { return .abandoned(entity) }
    guard let stored = try entity.resolved() else {
      guard isForced || !entity.isComputed else { throw .promiseIsComputed(entity) }
      if entity.isJoint, outcome == .fulfilled { throw .valueOfJoint(entity) }
      if let typeTag { try entity.requireType(typeTag, orOneOf: formerTypeTags) }
      let resolved = PromiseResolved(
        outcome: outcome, resolvedAt: decision.now, idempotencyKey: idempotencyKey, content: content
      )
      try decision.settle(id, resolved, cause: cause)
      return .resolved(try decision.requirePromise(id))
    }
    if stored.outcome == .timedOut, !isStrict { return .deduplicated(entity) }
    let isSameRequest = idempotencyKey != nil && idempotencyKey == stored.idempotencyKey
    return isSameRequest && (!isStrict || outcome == stored.outcome)
      ? .deduplicated(entity) : .alreadyResolved(entity)
  }
}

/// Records the delivery of an outcome to the app.
package struct ConsumePromise: EntityCommand {
  package indirect enum Answer: Sendable {
    case notFound
    case pending
    case consumed(PromiseEntity)
    case alreadyConsumed(PromiseEntity)
    case abandoned(PromiseEntity)
    /// The outcome was not taken and remains available.
    case notTaken
  }

  package let id: PromiseID
  package let delivery: PromiseConsumed.Delivery
  private let isTaken: @Sendable () -> Bool

  /// - Parameters:
  ///   - id: The promise.
  ///   - delivery: Whether the app already has the outcome.
  ///   - isTaken: Called last; returns whether the outcome is taken. It is called again if the command is
  ///     decided again, and must then return the same answer.
  package init(
    id: PromiseID, delivery: PromiseConsumed.Delivery,
    isTaken: @escaping @Sendable () -> Bool = { true }
  ) {
    self.id = id
    self.delivery = delivery
    self.isTaken = isTaken
  }

  package func decide(in decision: inout Decision) throws(LedgerError) -> Answer {
    let found = try decision.settleIfDue(id)
    let entity = try decision.known(found, or: id.entityID)
    // An outcome that needs no consumption is read in every role, and nothing is recorded.
    let needsConsumption = entity.map { !$0.endsWhenSettled } ?? true
    if needsConsumption { try decision.context.role.requireConsumer(of: id) }
    guard let entity else { return .notFound }
    switch entity.status {
    case .pending: return .pending
    case .abandoned: return .abandoned(entity)
    case .consumed:
      return entity.closing?.fact.session == decision.context.session
        ? .consumed(entity) : .alreadyConsumed(entity)
    case .resolved:
      guard isTaken() else { return .notTaken }
      guard needsConsumption else { return .consumed(entity) }
      try decision.append(
        PromiseConsumed(delivery: delivery), to: id.entityID,
        cause: entity.resolution?.fact.position ?? .start)
      return .consumed(try decision.requirePromise(id))
    }
  }
}

/// Abandons a promise permanently.
package struct AbandonPromise: EntityCommand {
  package indirect enum Answer: Sendable {
    case notFound
    case abandoned(PromiseEntity)
    case alreadyConsumed(PromiseEntity)
    /// The promise was settled before, and is open only until then.
    case alreadySettled(PromiseEntity)
  }

  package let id: PromiseID
  package let reason: String

  package init(id: PromiseID, reason: String) {
    self.id = id
    self.reason = reason
  }

  package func decide(in decision: inout Decision) throws(LedgerError) -> Answer {
    let found = try decision.timeOutIfDue(id)
    guard let entity = try decision.known(found, or: id.entityID) else { return .notFound }
    switch entity.status {
    case .consumed: return .alreadyConsumed(entity)
    case .abandoned: return .abandoned(entity)
    case .resolved where entity.endsWhenSettled: return .alreadySettled(entity)
    case .pending, .resolved:
      let wasPending = entity.status == .pending
      try decision.append(PromiseAbandoned(reason: reason), to: id.entityID)
      if wasPending { try decision.settleFollowers(of: [id]) }
      return .abandoned(try decision.requirePromise(id))
    }
  }
}

/// Times out promises whose deadline has passed, as many as fit into one commit.
package struct TimeOutDuePromises: Command {
  /// The maximum number of promises that one commit times out.
  package static let limit = 256

  package init() {}

  package func decide(in decision: inout Decision) throws(LedgerError) -> Int {
    let due = try decision.duePromises(limit: Self.limit)
    // A promise that does not fit into a full ledger must not hold up the others.
    for id in due { _ = try? decision.timeOutIfDue(id) }
    return due.count
  }
}

extension Decision {
  /// Returns the promise, or `nil` if the id is unknown, like ``known(_:or:)``.
  func knownPromise(_ id: PromiseID) throws(LedgerError) -> PromiseEntity? {
    try known(promise(id), or: id.entityID)
  }

  /// Settles a pending promise if its deadline has passed, or it is a joint that its inputs decide.
  ///
  /// - Returns: The promise, if there is one.
  @discardableResult
  mutating func settleIfDue(_ id: PromiseID) throws(LedgerError) -> PromiseEntity? {
    let entity = try timeOutIfDue(id)
    guard let entity, entity.isJoint else { return entity }
    // From the reserve, like the end of a deadline.
    if try settleJointIfDecided(id, usesReserve: true) { try settleFollowers(of: [id]) }
    return try promise(id)
  }

  /// Resolves a pending promise whose deadline has passed, with the deadline as the time.
  ///
  /// - Returns: The promise, if there is one.
  @discardableResult
  mutating func timeOutIfDue(_ id: PromiseID) throws(LedgerError) -> PromiseEntity? {
    let found = try promise(id)
    guard let entity = found, entity.status == .pending, let deadline = entity.deadline,
      now >= deadline
    else { return found }
    // A subject that may not be written to stays unchanged; the command on it is refused below.
    guard (try? requireWritable(id.entityID)) != nil else { return entity }
    let outcome: PromiseOutcomeKind = entity.deadlineEffect == .fulfils ? .fulfilled : .timedOut
    // From the reserve: consuming and abandoning a promise may time it out first, and both must still work in
    // a full ledger.
    try settle(
      id, PromiseResolved(outcome: outcome, resolvedAt: deadline, content: []), usesReserve: true)
    noteDeadline()
    return try promise(id)
  }

  func requirePromise(_ id: PromiseID) throws(LedgerError) -> PromiseEntity {
    guard let entity = try promise(id) else {
      throw LedgerError(
        .internalInconsistency, "Promise \(id) does not exist after its event was applied.")
    }
    return entity
  }
}

extension PromiseEntity {
  fileprivate func requireType(
    _ given: String, orOneOf former: [String]
  ) throws(LedgerError) {
    let stored = try typeTag()
    guard stored != given, !former.contains(stored) else { return }
    throw LedgerError(
      .typeMismatch,
      "\(name) has values of the type \(stored), not \(given). Use the type that the promise was created with."
    )
  }
}

extension SessionRole {
  package func requireConsumer(of id: PromiseID) throws(LedgerError) {
    guard self != .app else { return }
    throw LedgerError(
      .roleMayNotConsume,
      "A session of the role \(self) may not consume promise \(id). Read its outcome instead, and let the app consume it."
    )
  }
}
