/// Starts attempts of work, to be run by the session that asks.
package struct ClaimWork: Command {
  /// The answer for one work.
  package enum Claim: Sendable {
    /// The attempt was started.
    case started(PromiseEntity)
    /// The work is not due yet: at the time, or when its promise is settled.
    case notDue(WorkTrigger)
    /// The awaited promise was settled in another way, so the work takes over that outcome.
    case excluded(by: PromiseEntity)
    /// A session is running an attempt.
    case running(SessionID)
    /// Other work of the lane comes first.
    case laneFull(WorkLane)
    /// The process of an earlier attempt died, and this session runs other such work.
    case suspect
    /// The work is parked.
    case parked
    /// The work has ended, or there is no such work.
    case ended
    /// The session does not know the kind.
    case unregistered(kind: String)
    /// The work cannot be claimed, for example because only a later version can read it.
    case refused(LedgerError)
  }

  /// The maximum amount of work in one command: a commit must not keep other commits waiting for long.
  package static let maximumCount = 64

  package let ids: [PromiseID]
  /// All names, current and former, of the kinds that the session runs.
  package let runnableKinds: Set<String>

  package init(_ ids: [PromiseID], runnableKinds: Set<String>) {
    self.ids = ids
    self.runnableKinds = runnableKinds
  }

  package func addSubjects(to needs: inout SnapshotNeeds, in session: SessionID) {
    for id in ids { needs.ids.insert(id.entityID) }
  }

  package func decide(in decision: inout Decision) throws(LedgerError) -> [Claim] {
    try decision.requireOwnSession()
    guard !decision.context.room.isScarce else { throw .scarceRoom }
    try decision.lookUpWork(ids)
    var lanes = LaneOccupancies()
    var claims: [Claim] = []
    for id in ids {
      let eventCount = decision.batch.count
      do throws(LedgerError) {
        claims.append(try claim(id, &lanes, in: &decision))
      } catch {
        guard error.isOfUnreadableItem else { throw error }
        claims.append(.refused(error))
      }
      if case .started? = claims.last { continue }
      // Work that was settled instead left its lane, as may have other work that waited for it.
      if decision.batch.count > eventCount { lanes = LaneOccupancies() }
    }
    return claims
  }

  private func claim(
    _ id: PromiseID, _ lanes: inout LaneOccupancies, in decision: inout Decision
  ) throws(LedgerError) -> Claim {
    try decision.timeOutIfDue(id)
    guard let entity = try decision.promise(id), let work = try entity.creation().work,
      let place = entity.workPlace(work)
    else { return .ended }
    try decision.requireWritable(id.entityID)
    guard runnableKinds.contains(place.kind) else { return .unregistered(kind: place.kind) }
    let options = entity.progress?.options ?? work.options
    switch place.phase {
    case .parked: return .parked
    case .running(let session):
      let isOverdue = place.overdueAt.map { decision.now >= $0 } ?? false
      guard session != decision.context.session, isOverdue else { return .running(session) }
    case .waiting(let trigger):
      switch try decision.dueness(of: trigger) {
      case .due: break
      case .notDue: return .notDue(trigger)
      case .excluded(let promise): return .excluded(by: promise)
      }
    }
    if entity.progress?.cancelRequest == nil,
      let reason = try decision.cancellation(ofParentOf: entity)
    {
      // The commit that cancelled its parent could not cancel all children.
      guard try !decision.cancel(entity, reason: reason) else { return .ended }
    }
    if let time = options.givesUpAfter, decision.now >= time,
      try !(decision.promise(id)?.progress?.mayBeUndoing ?? false)
    {
      try decision.settle(
        id,
        PromiseResolved(
          outcome: .rejected, resolvedAt: decision.now,
          content: WorkError.givenUp(after: time, entity.progress?.release?.event.error).encoded))
      return .ended
    }
    // Two suspects in one process could not be told apart.
    if entity.progress?.isSuspect ?? false, try decision.runsSuspect() { return .suspect }
    if let lane = place.lane {
      guard try lanes.admits(id, place, in: decision) else { return .laneFull(lane) }
    }
    let attempt = (entity.progress?.attempt ?? 0) + 1
    try decision.append(WorkStarted(attempt: attempt), to: id.entityID)
    if place.lane != nil { lanes.admit(id, place) }
    return .started(try decision.requirePromise(id))
  }
}

extension LedgerError {
  fileprivate static var scarceRoom: LedgerError {
    LedgerError(
      .ledgerFull,
      "The ledger has almost reached its size limit, so no more work is started: work that runs needs the rest of the room. Raise the limit, or compact the ledger."
    )
  }
}

extension Decision {
  /// Looks up what claims of work depend on, so that parts of the snapshot that are missing are noted
  /// together.
  fileprivate func lookUpWork(_ ids: [PromiseID]) throws(LedgerError) {
    // Without a snapshot, nothing is missing.
    guard snapshotPosition > .start else { return }
    var lanes: Set<String> = []
    try Self.lookUpAll(ids) { (id) throws(LedgerError) in
      guard let place = try readablePromise(id)?.workPlace else { return }
      if let lane = place.lane { lanes.insert(lane.name) }
      try lookUpAwaited(by: place.trigger)
    }
    try Self.lookUpAll(Array(lanes)) { (name) throws(LedgerError) in
      _ = try base.holders(ofLane: name)
      let queue = try base.queue(
        ofLane: name, before: Position(rawValue: .max), limit: LedgerState.maximumQueueCount)
      try Self.lookUpAll(queue.work) { (work) throws(LedgerError) in
        try lookUpAwaited(by: work.trigger)
      }
    }
  }

  private func lookUpAwaited(by trigger: WorkTrigger?) throws(LedgerError) {
    try Self.lookUpAll(trigger?.awaited ?? []) { (id) throws(LedgerError) in
      _ = try readablePromise(id)
    }
  }

  /// Whether this session runs work whose process died in an earlier attempt.
  fileprivate func runsSuspect() throws(LedgerError) -> Bool {
    try runningWork(of: context.session).contains { $0.progress?.isSuspect ?? false }
  }
}

// MARK: - Dueness

extension Decision {
  enum Dueness {
    case due
    case notDue
    /// The awaited promise was settled in another way.
    case excluded(PromiseEntity)
  }

  /// Whether other work is due. Work that awaits a promise that this build cannot read is not, like work
  /// whose promise is pending.
  func isDue(_ trigger: WorkTrigger) throws(LedgerError) -> Bool {
    do throws(LedgerError) {
      if case .due = try dueness(of: trigger) { return true }
    } catch {
      guard error.isOfUnreadableItem else { throw error }
    }
    return false
  }

  func dueness(of trigger: WorkTrigger) throws(LedgerError) -> Dueness {
    switch trigger {
    case .now: return .due
    case .at(let time): return now >= time ? .due : .notDue
    case .after(let id, let settlement):
      guard let promise = try promise(id), promise.status != .pending else { return .notDue }
      return settlement.includes(promise.resolution?.outcome) ? .due : .excluded(promise)
    case .firstOf(let condition):
      if let time = condition.time, now >= time { return .due }
      for id in condition.promises {
        if let promise = try readablePromise(id), promise.status != .pending { return .due }
      }
      return .notDue
    }
  }
}

extension PromiseEntity {
  /// The options of work as last amended.
  package func workOptions() throws(LedgerError) -> WorkOptions {
    if let options = progress?.options { return options }
    return try creation().work?.options ?? WorkOptions()
  }
}

// MARK: - Lanes

/// The lanes of the work that a command starts.
struct LaneOccupancies {
  /// The work that counts against the width of a lane.
  private struct Occupancy {
    var holders: [PromiseID: (width: Int, isRunning: Bool)] = [:]
    /// Work of this commit of which no attempt was started before it.
    var queue: [LedgerState.QueuedWork] = []
    /// Work that left the queue in this commit.
    var left: Set<PromiseID> = []

    mutating func note(_ id: PromiseID, _ place: WorkPlace?) {
      guard let place, let lane = place.lane else { return }
      holders[id] = (lane.width, place.isRunning)
    }
  }

  private var occupancies: [String: Occupancy] = [:]

  /// Whether an attempt of work may start: the lane is not full, and no work that was created earlier is due.
  mutating func admits(
    _ id: PromiseID, _ place: WorkPlace, in decision: Decision
  ) throws(LedgerError) -> Bool {
    guard let lane = place.lane else { return true }
    let occupancy = try occupancy(lane.name, in: decision)
    var (width, count, runningCount) = (lane.width, 0, 0)
    for (holder, hold) in occupancy.holders where holder != id {
      width = min(width, hold.width)
      count += 1
      if hold.isRunning { runningCount += 1 }
    }
    guard runningCount < width else { return false }
    // Work that waits for its next attempt keeps its place.
    if place.holdsLane { return true }
    guard count < width else { return false }
    let free = width - count
    let earlier = try decision.base.queue(
      ofLane: lane.name, before: place.created,
      limit: LedgerState.maximumQueueCount + decision.staged.promises.ids.count)
    let current = earlier.work.filter { decision.staged.promises[$0.id] == nil }
    let staged = occupancy.queue.filter { $0.created < place.created }
    var dueCount = 0
    // If more than the maximum wait for a time or a promise, the order of creation is not kept.
    for work in current + staged where !occupancy.left.contains(work.id) {
      // Work that this build cannot start must not hold up the lane.
      guard (try? decision.requireWritable(work.id.entityID)) != nil else { continue }
      if try decision.isDue(work.trigger) { dueCount += 1 }
      if dueCount >= free { return false }
    }
    return true
  }

  /// Notes that an attempt was started.
  mutating func admit(_ id: PromiseID, _ place: WorkPlace) {
    guard let lane = place.lane else { return }
    occupancies[lane.name]?.holders[id] = (lane.width, true)
    occupancies[lane.name]?.left.insert(id)
  }

  private mutating func occupancy(
    _ name: String, in decision: Decision
  ) throws(LedgerError) -> Occupancy {
    if let known = occupancies[name] { return known }
    var occupancy = Occupancy()
    for holder in try decision.base.holders(ofLane: name)
    where decision.staged.promises[holder.id] == nil {
      occupancy.holders[holder.id] = (holder.width, holder.isRunning)
    }
    if let members = decision.staged.work[lane: name] {
      for id in members.holders { occupancy.note(id, decision.staged.work[id]) }
      for member in members.queue {
        guard let trigger = decision.staged.work[member.id]?.trigger else { continue }
        occupancy.queue.append(
          LedgerState.QueuedWork(id: member.id, created: member.created, trigger: trigger))
      }
    }
    occupancies[name] = occupancy
    return occupancy
  }
}
