/// Cancels work and its children: at once, or by asking the code that runs to end. Cancels a joint at once, and not
/// its inputs.
package struct CancelWork: EntityCommand {
  /// The answers name the work whose children one commit could not cancel; see ``CancelChildren``.
  package indirect enum Answer: Sendable {
    /// The promise is cancelled.
    case cancelled(PromiseEntity, parentsLeft: [PromiseID])
    /// The code runs, or has finished steps or waited. The promise is cancelled when the code fails, or fulfilled if
    /// the code returns.
    case requested(PromiseEntity, parentsLeft: [PromiseID])
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
    let found = try decision.timeOutIfDue(id)
    guard let entity = try decision.known(found, or: id.entityID) else { return .notFound }
    if !entity.isJoint { try entity.requireWork() }
    guard entity.status == .pending else { return .ended(entity) }
    let isSettled = try decision.cancel(entity, reason: reason)
    let left = try decision.cancelChildren(of: id)
    let changed = try decision.requirePromise(id)
    return isSettled
      ? .cancelled(changed, parentsLeft: left) : .requested(changed, parentsLeft: left)
  }
}

extension Decision {
  /// Cancels pending work, or a pending promise without work.
  ///
  /// - Returns: Whether it was settled; not if code must end first.
  mutating func cancel(_ entity: PromiseEntity, reason: String) throws(LedgerError) -> Bool {
    // Code that may have something to undo runs again to learn of the request.
    let mayUndo = entity.progress?.mayHaveSomethingToUndo ?? false
    guard let place = entity.workPlace, place.isRunning || mayUndo && !place.isParked else {
      let content = Array(reason.utf8)
      try settle(
        entity.id, PromiseResolved(outcome: .cancelled, resolvedAt: now, content: content))
      return true
    }
    if entity.progress?.cancelRequest == nil {
      try append(WorkCancelRequested(reason: reason), to: entity.id.entityID)
    }
    return false
  }

  /// Cancels the pending work that work started, and in turn its children, as much as this commit may change.
  ///
  /// Work that is left is cancelled when a runner wants to start it, at the latest. Promises that are settled from
  /// outside are left alone.
  ///
  /// - Returns: The cancelled work that may have more children.
  fileprivate mutating func cancelChildren(
    of parent: PromiseID
  ) throws(LedgerError) -> [PromiseID] {
    var (parents, left) = ([parent], [PromiseID]())
    while !parents.isEmpty {
      let room = Self.maximumFollowerCount - followerCount
      guard room > 0 else { return try withPendingChildren(left + parents) }
      var children: [PromiseID] = []
      try Self.lookUpAll(parents) { (id) throws(LedgerError) in
        let found = try self.children(of: id, limit: room)
        if found.count == room { left.append(id) }
        children += found
      }
      try Self.lookUpAll(children) { (id) throws(LedgerError) in _ = try changeablePromise(id) }
      var next: [PromiseID] = []
      for id in children {
        guard followerCount < Self.maximumFollowerCount else {
          return try withPendingChildren(left + parents + next)
        }
        do throws(LedgerError) {
          if try cancelChild(id) { next.append(id) }
        } catch {
          // In a full ledger, they wait for a runner.
          guard error.code == .ledgerFull else { throw error }
          return []
        }
      }
      parents = next
    }
    return left
  }

  /// The work among some that has pending children.
  fileprivate func withPendingChildren(_ ids: [PromiseID]) throws(LedgerError) -> [PromiseID] {
    var parents: [PromiseID] = []
    try Self.lookUpAll(ids) { (id) throws(LedgerError) in
      if try !children(of: id, limit: 1).isEmpty { parents.append(id) }
    }
    return parents
  }

  /// Cancels a child, if it is work that can be cancelled and that undoes nothing.
  ///
  /// - Returns: Whether it was cancelled now.
  fileprivate mutating func cancelChild(_ id: PromiseID) throws(LedgerError) -> Bool {
    guard (try? requireWritable(id.entityID)) != nil, let child = try changeablePromise(id),
      child.isWork, child.status == .pending, child.progress?.cancelRequest == nil,
      let reason = try cancellation(ofParentOf: child)
    else { return false }
    _ = try cancel(child, reason: reason)
    followerCount += 1
    return true
  }

  /// The pending promises that belong to work, including changes of this commit, in the order of ids.
  fileprivate func children(
    of parent: PromiseID, after last: PromiseID? = nil, limit: Int
  ) throws(LedgerError) -> [PromiseID] {
    let below = try base.children(
      of: parent, after: last, limit: limit + staged.promises.ids.count
    ).filter { staged.promises[$0] == nil }
    let changed = staged.children[parent].filter { id in last.map { $0 < id } ?? true }
    return Array((below + changed).sorted().prefix(limit))
  }

  /// The reason for which the parent of a child was cancelled, if that was after the child was created: a child
  /// that undoes something runs.
  func cancellation(ofParentOf child: PromiseEntity) throws(LedgerError) -> String? {
    guard let id = child.parent, let parent = try readablePromise(id) else { return nil }
    if let request = parent.progress?.cancelRequest {
      return request.fact.position > child.created.position ? request.reason : nil
    }
    guard let resolution = parent.resolution, resolution.outcome == .cancelled,
      resolution.fact.position > child.created.position, let resolved = try parent.resolved(),
      let content = resolved.content
    else { return nil }
    let reason =
      resolved.attempt == nil ? content : try PromiseResolved.outcome(ofAttempt: content).value
    return String(decoding: reason, as: UTF8.self)
  }
}

/// Cancels children of cancelled work that the commit which cancelled it could not.
package struct CancelChildren: Command {
  package struct Answer: Sendable {
    /// The last child that was looked at, if there may be more.
    package let last: PromiseID?
    /// The children that were cancelled, and have children in turn.
    package let parentsLeft: [PromiseID]
  }

  /// The maximum number of children that one commit looks at.
  package static let limit = Decision.maximumFollowerCount

  /// The cancelled work.
  package let parent: PromiseID
  /// The last child that was looked at.
  package let last: PromiseID?

  package init(of parent: PromiseID, after last: PromiseID?) {
    self.parent = parent
    self.last = last
  }

  package func addSubjects(to needs: inout SnapshotNeeds, in session: SessionID) {
    needs.ids.insert(parent.entityID)
  }

  package func decide(in decision: inout Decision) throws(LedgerError) -> Answer {
    let children = try decision.children(of: parent, after: last, limit: Self.limit)
    try Decision.lookUpAll(children) { (id) throws(LedgerError) in
      _ = try decision.changeablePromise(id)
    }
    var cancelled: [PromiseID] = []
    for id in children where try decision.cancelChild(id) { cancelled.append(id) }
    return Answer(
      last: children.count < Self.limit ? nil : children.last,
      parentsLeft: try decision.withPendingChildren(cancelled))
  }
}

/// Changes pending work as an operator asks.
package struct AmendWork: EntityCommand {
  package indirect enum Answer: Sendable {
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
    let found = try decision.timeOutIfDue(id)
    guard let entity = try decision.known(found, or: id.entityID) else { return .notFound }
    try entity.requireWork()
    guard let place = entity.workPlace else { return .ended(entity) }
    if amended.parking == .parked, case .running(let session) = place.phase {
      return .running(session)
    }
    try decision.requireAwaited(by: amended.trigger, of: id)
    try decision.requireNoCycle(by: amended.trigger, of: id)
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
    try Decision.lookUpAll(ids) { (id) throws(LedgerError) in
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

  /// The maximum number of promises among which an amendment looks for a cycle.
  private static let maximumCycleCount = 1_000

  /// Rejects a trigger with which work waits for itself by way of other promises. Only an amendment can do that: a
  /// promise is created after those that it waits for.
  func requireNoCycle(by trigger: WorkTrigger?, of id: PromiseID) throws(LedgerError) {
    var next = trigger?.awaited ?? []
    var seen = Set(next)
    while !next.isEmpty, seen.count <= Self.maximumCycleCount {
      var found: [PromiseID] = []
      try Self.lookUpAll(next) { (id) throws(LedgerError) in
        found += try readablePromise(id)?.requiredPromises ?? []
      }
      next = found.filter { seen.insert($0).inserted }
      guard !seen.contains(id) else {
        throw LedgerError(
          .invalidArgument,
          "The work of promise \(id) cannot wait for promise \(trigger?.awaited.first.map { "\($0)" } ?? ""), which waits for it, perhaps by way of others. Choose another promise."
        )
      }
    }
  }
}

extension PromiseEntity {
  /// The promises without which a pending one cannot be settled, whatever else happens.
  fileprivate var requiredPromises: [PromiseID] {
    let inputs = awaitedInputs
    switch joint?.rule {
    case .any, .race: return inputs.count == 1 ? inputs : []
    case .all, .allSettled: return inputs
    case nil: break
    }
    guard let trigger = workPlace?.trigger, trigger.time == nil else { return [] }
    return trigger.awaited.count == 1 ? trigger.awaited : []
  }

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
      entity.isJoint
        ? "\(entity.name) is settled by its inputs, so it cannot be resolved from outside. Settle the inputs, or cancel it."
        : "\(entity.name) is settled by its code, so it cannot be resolved from outside. Cancel its work, or wait for the code."
    )
  }

  /// The refusal of a value for a joint, which has those of its inputs.
  static func valueOfJoint(_ entity: PromiseEntity) -> LedgerError {
    LedgerError(
      .invalidArgument,
      "\(entity.name) is a joint, whose value is that of its inputs. Reject or cancel it, or settle the inputs."
    )
  }
}
