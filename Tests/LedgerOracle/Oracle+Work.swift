extension Oracle.Promise {
  package enum Phase: Hashable, Sendable {
    case running(Int)
    case parked
    case waiting(Oracle.Trigger)
  }

  /// What pending work does; `nil` for any other promise.
  package var phase: Phase? {
    guard let work, isPending else { return nil }
    guard let progress else { return .waiting(work.trigger) }
    if let runner = progress.runner { return .running(runner) }
    if progress.parking != nil { return .parked }
    return .waiting(progress.nextTrigger ?? work.trigger)
  }

  var waitingTrigger: Oracle.Trigger? {
    if case .waiting(let trigger)? = phase { trigger } else { nil }
  }

  var options: Oracle.Options { progress?.options ?? work?.options ?? Oracle.Options() }

  /// Whether another session may take the running attempt over.
  func isOverdue(at now: Int) -> Bool {
    guard let start = progress?.start, progress?.runner != nil, let timeout = options.timeout else {
      return false
    }
    return start.time + 2 * timeout <= now
  }
}

extension Oracle.Progress {
  /// The session that runs the newest attempt.
  package var runner: Int? { release == nil ? start?.session : nil }

  var knowsOfCancellation: Bool { steps.contains { $0.result == .cancelled } }

  var mayUndo: Bool { !steps.isEmpty || hasWaited }
  var mayBeUndoing: Bool { cancelRequest != nil && mayUndo }

  var nextTrigger: Oracle.Trigger? {
    if cancelRequest != nil, !knowsOfCancellation { return .now }
    if let trigger { return trigger }
    guard let release else { return nil }
    if let condition = release.condition { return .firstOf(condition) }
    return release.retryTime.map(Oracle.Trigger.at) ?? .now
  }

  fileprivate mutating func giveBack(_ reason: Oracle.ReleaseReason, _ position: Int) {
    release = Oracle.Release(position, reason)
    switch reason {
    case .died: deaths += 1
    case .waiting, .retrying, .parked: deaths = 0
    case .frozen, .closed, .cancelled, .notRunnable: break
    }
    if reason == .waiting { hasWaited = true }
    // Code that ends its process three times is not run again.
    if reason == .parked || deaths >= 3 { parking = position }
  }

  fileprivate mutating func add(_ step: Int) {
    let count = stepFailures.first { $0.step == step }?.count ?? 0
    stepFailures.removeAll { $0.step == step }
    stepFailures.append(Oracle.StepFailures(step, count + 1))
  }
}

// MARK: - Dueness

extension Oracle {
  private enum Dueness { case due, notDue, excluded }

  func requireAwaited(by trigger: Trigger?, of id: Int) throws(Refusal) {
    guard case .after(let awaited, _)? = trigger else { return }
    guard awaited != id else { throw .invalidArgument }
    guard try known(awaited) != nil else { throw .notFound }
  }

  private func dueness(of trigger: Trigger) -> Dueness {
    switch trigger {
    case .now: return .due
    case .at(let time): return time <= now ? .due : .notDue
    case .after(let id, let settlement):
      guard let promise = promises[id], !promise.isPending else { return .notDue }
      return settlement.includes(promise.outcome) ? .due : .excluded
    case .firstOf(let condition):
      if let time = condition.time, time <= now { return .due }
      let isSettled = condition.promises.contains { promises[$0].map { !$0.isPending } ?? false }
      return isSettled ? .due : .notDue
    }
  }

  /// Whether the lane of work has room for it, and no due work was created earlier.
  private func laneAdmits(_ id: Int, _ work: Promise) -> Bool {
    guard let lane = work.options.lane else { return true }
    func isStarted(_ promise: Promise) -> Bool { promise.progress?.attempt ?? 0 > 0 }
    var (holderCount, runningCount, width) = (0, 0, work.options.width)
    var earlier: [Promise] = []
    for (other, promise) in promises where other != id {
      guard let phase = promise.phase, promise.options.lane == lane, phase != .parked else {
        continue
      }
      if isStarted(promise) {
        holderCount += 1
        width = min(width, promise.options.width)
        if case .running = phase { runningCount += 1 }
      } else if promise.created < work.created {
        earlier.append(promise)
      }
    }
    guard runningCount < width else { return false }
    if isStarted(work) { return true }
    guard holderCount < width else { return false }
    let dueCount = earlier.count { work in
      work.waitingTrigger.map { dueness(of: $0) == .due } ?? false
    }
    return dueCount < width - holderCount
  }
}

// MARK: - Attempts

extension Oracle {
  mutating func claim(_ ids: [Int]) throws(Refusal) -> Answer {
    try requireOwnSession()
    var answers: [Answer] = []
    for id in ids { answers.append(claim(id)) }
    return .all(answers)
  }

  private mutating func claim(_ id: Int) -> Answer {
    timeOutIfDue(id)
    guard let promise = promises[id], let work = promise.work, let phase = promise.phase else {
      return .ended
    }
    guard work.kind < 2 else { return .unregistered }
    switch phase {
    case .parked: return .parked
    case .running(let runner):
      guard runner != session, promise.isOverdue(at: now) else { return .by(runner) }
    case .waiting(let trigger):
      switch dueness(of: trigger) {
      case .due: break
      case .notDue: return .notDue
      case .excluded: return .excluded
      }
    }
    if promise.progress?.cancelRequest == nil, let reason = cancellation(ofParentOf: promise),
      cancel(id, promise, reason)
    {
      return .ended
    }
    let mayBeUndoing = promises[id]?.progress?.mayBeUndoing ?? false
    if !mayBeUndoing, let time = promise.options.givesUpAfter, time <= now {
      settle(id, .rejected, .error(.work, 3))
      return .ended
    }
    let isSuspect = promise.progress?.deaths ?? 0 > 0
    if isSuspect, promises.values.contains(where: { $0.isSuspect(runBy: session) }) {
      return .suspect
    }
    guard laneAdmits(id, promise) else { return .laneFull }
    begin(id)
    return .attempt(promises[id]?.progress?.attempt ?? 0)
  }

  private mutating func begin(_ id: Int) {
    let (session, now) = (session, now)
    advance(id, .workStarted) { progress, position in
      progress.attempt += 1
      progress.start = Start(position, session, now)
      (progress.release, progress.trigger) = (nil, nil)
    }
  }

  /// The attempt that runs on, or the next one of code that went on in memory.
  private mutating func takeUp(_ id: Int, _ attempt: Int) throws(Refusal) -> Int? {
    guard let promise = promises[id], promise.isPending, let progress = promise.progress,
      progress.attempt == attempt, progress.start?.session == session
    else { return nil }
    guard let release = progress.release else { return attempt }
    guard release.reason == .frozen || release.reason == .waiting, progress.parking == nil else {
      return nil
    }
    try requireOwnSession()
    guard laneAdmits(id, promise) else { return nil }
    begin(id)
    return attempt + 1
  }

  mutating func takeUpAlone(_ id: Int, _ attempt: Int) throws(Refusal) -> Answer {
    timeOutIfDue(id)
    return try takeUp(id, attempt).map(Answer.attempt) ?? .superseded
  }

  mutating func release(_ id: Int, _ attempt: Int, _ reason: ReleaseReason) -> Answer {
    guard let promise = promises[id], promise.isPending, let progress = promise.progress,
      progress.attempt == attempt, progress.runner == session
    else { return .flag(false) }
    advance(id, .workReleased) { progress, position in
      progress.giveBack(reason, position)
      if reason == .parked { progress.failures += 1 }
    }
    return .flag(true)
  }

  mutating func suspend(
    _ id: Int, _ attempt: Int, _ condition: Condition, _ awaited: [Int], _ failing: Int?
  ) throws(Refusal) -> Answer {
    timeOutIfDue(id)
    // The same command once more, such as after a commit whose end was not known.
    if let promise = promises[id], promise.isPending, let progress = promise.progress,
      progress.attempt == attempt, progress.start?.session == session,
      let release = progress.release, release.reason == .waiting, release.condition == condition,
      release.failing == failing
    {
      return .suspended(attempt)
    }
    guard let attempt = try takeUp(id, attempt), let progress = promises[id]?.progress else {
      return .superseded
    }
    if progress.cancelRequest != nil, !progress.knowsOfCancellation {
      return .cancelRequested(attempt)
    }
    if dueness(of: .firstOf(condition)) == .due { return .due(attempt) }
    // Children are kept without that; the caller names none among the others.
    let others = condition.promises.filter { promises[$0]?.creation.parent != id }
    let known = Set(progress.awaited + others + awaited).sorted(by: isBefore)
    advance(id, .workReleased) { progress, position in
      progress.giveBack(.waiting, position)
      progress.release?.condition = condition
      progress.release?.failing = failing
      progress.awaited = known
      if let failing { progress.add(failing) }
    }
    return .suspended(attempt)
  }

  mutating func releaseLeft(_ ids: [Int]) -> Answer {
    for id in ids {
      guard let promise = promises[id], let runner = promise.progress?.runner, promise.isPending,
        sessions[runner]?.isEnded ?? true
      else { continue }
      giveBack(id, .died)
    }
    return .done
  }

  /// Gives back every attempt of a session.
  mutating func releaseWork(of session: Int, _ reason: ReleaseReason) {
    let running = ids { $0.phase == .running(session) }
      .sorted { promises[$0]?.lastPosition ?? 0 < promises[$1]?.lastPosition ?? 0 }
    for id in running { giveBack(id, reason) }
  }

  /// Gives back an attempt of a session that ended. Parked work does not run, so a request to cancel it
  /// is answered now, unless an operator must see to what code did.
  private mutating func giveBack(_ id: Int, _ reason: ReleaseReason) {
    advance(id, .workReleased) { $0.giveBack(reason, $1) }
    guard let progress = promises[id]?.progress, progress.parking != nil,
      let request = progress.cancelRequest, !progress.mayUndo
    else { return }
    settle(id, .cancelled, .reason(request.reason))
  }
}

extension Oracle.Promise {
  fileprivate func isSuspect(runBy session: Int) -> Bool {
    phase == .running(session) && progress?.deaths ?? 0 > 0
  }
}

// MARK: - Ends of attempts

extension Oracle {
  mutating func finish(
    _ id: Int, _ attempt: Int, _ result: WorkResult, _ effects: [Effect], _ policy: Policy
  ) throws(Refusal) -> Answer {
    timeOutIfDue(id)
    guard let attempt = try takeUp(id, attempt), let promise = promises[id] else {
      return .superseded
    }
    let request = promise.progress?.cancelRequest
    switch result {
    case .failed(let number, let isFinal):
      return fail(id, attempt, .error(.user, number), isFinal: isFinal, policy)
    case .cancelled(let number):
      guard let request else {
        return fail(id, attempt, .error(.user, number), isFinal: true, policy)
      }
      return settled(id, .cancelled, attempt, .reason(request.reason))
    case .returned(let type, let value, let isLarge):
      let mark = mark
      let (verdicts, isRefused) = try carryOut(
        effects, cause: promise.progress?.start?.position ?? 0)
      if isRefused {
        return fail(
          id, attempt, .error(.effect, verdicts[0].rawValue), refused: verdicts, isFinal: false,
          policy)
      }
      guard type == promise.creation.type else {
        rollBack(to: mark)
        guard request == nil else {
          return fail(id, attempt, .error(.work, 4), isFinal: true, policy)
        }
        return park(id)
      }
      return settled(id, .fulfilled, attempt, isLarge ? .large : .value(value), verdicts)
    }
  }

  private mutating func settled(
    _ id: Int, _ outcome: Outcome, _ attempt: Int, _ content: Content, _ verdicts: [Verdict] = []
  ) -> Answer {
    // What is stored beside an event includes the verdicts.
    let isLarge = content == .large
    settle(id, outcome, content, attempt: attempt, verdicts: isLarge ? [] : verdicts)
    return .settled(verdicts)
  }

  private mutating func park(_ id: Int) -> Answer {
    advance(id, .workReleased) { progress, position in
      progress.giveBack(.parked, position)
      progress.failures += 1
    }
    return .parked
  }

  private mutating func fail(
    _ id: Int, _ attempt: Int, _ error: Content, refused: [Verdict] = [], isFinal: Bool,
    _ policy: Policy
  ) -> Answer {
    guard let promise = promises[id], let progress = promise.progress else { return .superseded }
    let now = now
    if let request = progress.cancelRequest, !progress.knowsOfCancellation {
      // The code had its opportunity if the attempt began after the request.
      let hadOpportunity = progress.start?.position ?? 0 > request.position
      if hadOpportunity || !progress.mayUndo {
        return settled(id, .cancelled, attempt, .reason(request.reason), refused)
      }
      advance(id, .workReleased) { progress, position in
        progress.giveBack(.retrying, position)
        progress.release?.retryTime = now
      }
      return .retrying(at: now)
    }
    let policy = promise.options.policy ?? policy
    let failureCount = progress.failures + 1
    let delays = constants.delays[id]
    let retryTime = now + delays[min(failureCount, delays.count - 1)]
    let isLate =
      !progress.mayBeUndoing && promise.options.givesUpAfter.map { $0 <= retryTime } ?? false
    let isExhausted = isFinal || failureCount >= policy.failureLimit
    if !isExhausted, !isLate {
      advance(id, .workReleased) { progress, position in
        progress.giveBack(.retrying, position)
        progress.failures += 1
        progress.release?.retryTime = retryTime
      }
      return .retrying(at: retryTime)
    }
    // A policy parks work that failed too often, not work that is only too late.
    return isExhausted && policy.parks
      ? park(id) : settled(id, .rejected, attempt, error, refused)
  }

  mutating func finishStep(
    _ id: Int, _ attempt: Int, _ step: Int, _ result: StepResult, _ failures: Int,
    _ effects: [Effect]
  ) throws(Refusal) -> Answer {
    timeOutIfDue(id)
    let mark = mark
    guard let attempt = try takeUp(id, attempt), let progress = promises[id]?.progress else {
      return .superseded
    }
    if progress.steps.contains(where: { $0.name == step }) { return .attempt(attempt) }
    if result == .cancelled, progress.cancelRequest == nil { return .superseded }
    let (verdicts, isRefused) = try carryOut(effects, cause: progress.start?.position ?? 0)
    if isRefused {
      rollBack(to: mark)
      return .effectRefused
    }
    let before = progress.stepFailures.first { $0.step == step }?.count ?? 0
    advance(id, .workStepFinished) { progress, position in
      progress.steps.append(
        Step(step, position, attempt, result, failures: before + failures, verdicts))
      progress.stepFailures.removeAll { $0.step == step }
      progress.deaths = 0
    }
    return .attempt(attempt)
  }
}
