import Logging
import Synchronization

// MARK: - Starting

extension WorkLoop {
  /// Starts due work, as much as the limits allow.
  ///
  /// - Parameter mayStart: Asked before each command.
  func startDue(while mayStart: () -> Bool) async throws {
    try await passOn(contents.withLock { $0.agenda.takeFollowers() })
    for slice in contents.withLock({ $0.agenda.takeJoints() }).slices(of: ClaimWork.maximumCount) {
      try await engine.submit(SettleJoints(Array(slice)))
    }
    while mayStart() {
      try Task.checkCancellation()
      let candidates = takeDue()
      guard !candidates.isEmpty else { return }
      try await claim(candidates)
    }
  }

  /// Takes the work to start next, as much as the limits and one command allow.
  func takeDue() -> [WorkCandidate] {
    contents.withLock { contents in
      var counts = contents.counts
      var taken: [WorkCandidate] = []
      let room = min(limits.total - contents.runningCount, ClaimWork.maximumCount)
      while taken.count < room {
        let candidate = contents.agenda.takeFirst { name in
          let kind = presentName(of: name)
          return limits.kinds[kind].map { counts[kind, default: 0] < $0 } ?? true
        }
        guard let candidate else { break }
        // Its code goes on after a freeze or a wait, and takes the work up itself; or it is just ending.
        guard contents.running[candidate.id] == nil,
          contents.waiting[candidate.id]?.flow.beginClaim() ?? true
        else {
          contents.skipped.insert(candidate.id)
          continue
        }
        counts[presentName(of: candidate.kind), default: 0] += 1
        taken.append(candidate)
      }
      contents.isClaiming = !taken.isEmpty
      return taken
    }
  }

  func presentName(of kind: String) -> String {
    configuration.handlers[work: kind]?.type.kind ?? kind
  }

  func claim(_ candidates: [WorkCandidate]) async throws {
    let command = ClaimWork(candidates.map(\.id), runnableKinds: kinds)
    let waiting = contents.withLock { contents in
      candidates.compactMap { contents.waiting[$0.id]?.flow }
    }
    defer {
      contents.withLock { $0.isClaiming = false }
      for flow in waiting { flow.endClaim() }
    }
    // If the task is cancelled, the claim is withdrawn, or answered all the same.
    let claims = try await engine.submit(command)
    var excluded: [(id: PromiseID, by: PromiseID)] = []
    for (candidate, claim) in zip(candidates, claims) {
      switch claim {
      case .started(let entity): try start(entity, kind: candidate.kind)
      case .laneFull(let lane): contents.withLock { $0.agenda.noteFull(lane: lane.name) }
      case .suspect: contents.withLock { $0.agenda.setAside(suspect: candidate) }
      case .notDue(let trigger):
        if let time = trigger.time {
          contents.withLock { $0.agenda.add(time, of: candidate.kind) }
        }
      case .excluded(let promise): excluded.append((candidate.id, promise.id))
      case .refused(let error):
        log("work cannot be started", ["promise": "\(candidate.id)", "error": "\(error)"])
      case .running, .parked, .ended, .unregistered: break
      }
    }
    for (id, promise) in excluded { try await passOn(promise, to: [id]) }
  }

  func start(_ entity: PromiseEntity, kind: String) throws(LedgerError) {
    // Without the ledger, the session ends, and gives the work back.
    guard let ledger else { throw .sessionClosed }
    let id = entity.id
    // Only work is claimed.
    guard !goOn(entity), let work = try entity.creation().work else { return }
    let phase = engine.phase
    let running = Running(
      kind: presentName(of: kind), lane: entity.workPlace(work)?.lane?.name,
      wasSuspect: entity.progress?.isSuspect ?? false,
      flow: WorkFlow(entity.progress) { phase.unfrozenTime }, interruption: Interruption())
    let isStopping = contents.withLock { contents in
      guard !contents.isStopping else { return true }
      contents.noteRunning(id, running)
      return false
    }
    guard !isStopping else { return giveBack(entity) }
    let attempt = WorkAttempt(
      ledger: ledger, entity: entity, work: work, flow: running.flow, observer: self,
      interruption: running.interruption)
    // Detached, so that code does not inherit the priority or the task-local values of the runner.
    let task = Task.detached {
      let isLost = await attempt.run()
      self.noteEnd(of: id, running.flow, isLost: isLost)
    }
    contents.withLock { contents in
      if contents.running[id]?.flow === running.flow { contents.running[id]?.task = task }
      if contents.waiting[id]?.flow === running.flow { contents.waiting[id]?.task = task }
    }
    if running.interruption.reason != nil { task.cancel() }
  }

  /// Lets code go on that waits in memory, if no other attempt ran meanwhile.
  func goOn(_ entity: PromiseEntity) -> Bool {
    guard let waiting = contents.withLock({ $0.waiting.removeValue(forKey: entity.id) }) else {
      return false
    }
    // Noted before the code goes on, which may give the work back again.
    contents.withLock { $0.noteRunning(entity.id, waiting) }
    if waiting.flow.noteRunning(entity.progress?.attempt ?? 0, entity.progress) { return true }
    contents.withLock { $0.removeRunning(entity.id) }
    waiting.interruption.note(.ended)
    waiting.flow.end()
    waiting.task?.cancel()
    return false
  }

  func noteEnd(of id: PromiseID, _ flow: WorkFlow, isLost: Bool) {
    contents.withLock { contents in
      if isLost { contents.hasLostClaims = true }
      if contents.waiting[id]?.flow === flow { contents.removeWaiting(id) }
      if contents.running[id]?.flow === flow { contents.removeRunning(id) }
    }
    wakeUp()
  }

  /// Lets work take over the outcomes that exclude it.
  func passOn(_ candidates: [WorkCandidate]) async throws {
    for (promise, group) in Dictionary(grouping: candidates, by: \.excludedBy) {
      guard let promise else { continue }
      try await passOn(promise, to: group.map(\.id))
    }
  }

  func passOn(_ promise: PromiseID, to ids: [PromiseID]) async throws {
    do {
      try await passOnIfReadable(promise, to: ids)
    } catch let error as LedgerError where error.isOfUnreadableItem {
      // Other work must not wait for it.
      log("an outcome cannot be passed on", ["promise": "\(promise)", "error": "\(error)"])
    }
  }

  private func passOnIfReadable(_ promise: PromiseID, to ids: [PromiseID]) async throws {
    var content: [UInt8]?
    if let entity = try await engine.read({ try $0.promise(promise) }) {
      if entity.isJoint, let records = ledger?.records {
        if case .fulfilled(let value) = try await records.outcome(of: entity) {
          content = value.bytes
        }
      } else if let attachment = entity.attachment {
        content = try await engine.attachment(
          of: attachment.position, byteCount: attachment.byteCount)
      }
    }
    // A large outcome is copied for each, and a commit must stay small.
    let count = content == nil ? ClaimWork.maximumCount : 1
    for slice in ids.slices(of: count) {
      try await engine.submit(FollowOutcome(promise, content: content, by: Array(slice)))
    }
  }
}

extension WorkLoop: WorkObserver {
  func workWasSuspended(_ id: PromiseID, _ flow: WorkFlow) {
    let surplus = contents.withLock { contents -> Running? in
      // The code may have taken the work up again.
      guard let running = contents.running[id], running.flow === flow, !flow.isRunning else {
        return nil
      }
      contents.removeRunning(id)
      guard contents.waiting.count < waitingLimit else { return running }
      contents.waiting[id] = running
      return nil
    }
    surplus?.flow.end()
    surplus?.task?.cancel()
    wakeUp()
  }

  func workMayRest() {
    // Only a test that moves the clock wants to know.
    if engine.setup.clock is any MovedLedgerClock { wakeUp() }
  }

  func workWasTakenUp(_ id: PromiseID, _ flow: WorkFlow) {
    contents.withLock { contents in
      // It may have been cancelled meanwhile.
      contents.changed.insert(id)
      guard let waiting = contents.waiting[id], waiting.flow === flow else { return }
      contents.waiting[id] = nil
      contents.noteRunning(id, waiting)
    }
    wakeUp()
  }
}

extension WorkLoop.Contents {
  /// Whether no due work is left that can start now, and no code that waits is just taking its work up.
  var isDone: Bool {
    agenda.isDone && changed.isEmpty && !skipped.contains { waiting[$0] != nil }
  }

  mutating func noteRunning(_ id: PromiseID, _ code: WorkLoop.Running) {
    counts[code.kind, default: 0] += 1
    running[id] = code
    // The lane may have room for more.
    if let lane = code.lane { agenda.release(lane: lane) }
  }

  mutating func removeRunning(_ id: PromiseID) {
    guard let code = running.removeValue(forKey: id) else { return }
    counts[code.kind, default: 1] -= 1
    if skipped.remove(id) != nil { changed.insert(id) }
    if let lane = code.lane { agenda.release(lane: lane) }
  }

  mutating func removeWaiting(_ id: PromiseID) {
    waiting[id] = nil
    if skipped.remove(id) != nil { changed.insert(id) }
  }
}
