/// Gives back an attempt whose code only waits, so that no process is needed until the condition is met.
package struct SuspendWork: EntityCommand {
  package enum Answer: Sendable {
    /// The attempt was given back.
    case suspended(attempt: UInt32)
    /// The condition is met already, so the attempt goes on.
    case due(attempt: UInt32)
    /// The code must learn that the work was cancelled, so the attempt goes on.
    case cancelRequested(attempt: UInt32)
    /// Another attempt was started, or the work has ended.
    case superseded
  }

  package let id: PromiseID
  package let attempt: UInt32
  package let condition: WorkCondition
  /// Other promises that the code awaited, but for those of its own work.
  package let awaited: [PromiseID]
  /// The failures of steps during the attempt that are tried again.
  package let stepFailures: [WorkReleased.StepFailures]
  /// The last error of these steps.
  package let error: StoredError?

  package init(
    id: PromiseID, attempt: UInt32, until condition: WorkCondition,
    awaited: [PromiseID] = [], stepFailures: [WorkReleased.StepFailures] = [],
    error: StoredError? = nil
  ) {
    self.id = id
    self.attempt = attempt
    self.condition = condition
    self.awaited = awaited
    self.stepFailures = stepFailures
    self.error = error
  }

  package func addSubjects(to needs: inout SnapshotNeeds, in session: SessionID) {
    needs.ids.insert(id.entityID)
    needs.ids.formUnion(condition.promises.map(\.entityID))
  }

  package func decide(in decision: inout Decision) throws(LedgerError) -> Answer {
    try decision.timeOutIfDue(id)
    try Decision.lookUpAll(condition.promises) { (id) throws(LedgerError) in
      _ = try decision.readablePromise(id)
    }
    if let entity = try decision.promise(id), entity.status == .pending,
      let progress = entity.progress, isDone(progress, in: decision)
    {
      return .suspended(attempt: attempt)
    }
    guard let attempt = try decision.takeUp(id, attempt),
      let progress = try decision.promise(id)?.progress
    else { return .superseded }
    if progress.cancelRequest != nil, !progress.knowsOfCancellation {
      return .cancelRequested(attempt: attempt)
    }
    if try decision.isDue(.firstOf(condition)) { return .due(attempt: attempt) }
    let released = WorkReleased(
      attempt: attempt, reason: .waiting, condition: condition,
      awaited: try newlyAwaited(progress, in: decision), stepFailures: failures(fitting: progress),
      error: error?.summary(byteCount: 512))
    try decision.append(
      released, to: id.entityID, cause: decision.start(ofNewestAttempt: id))
    return .suspended(attempt: attempt)
  }

  /// Whether the command was carried out before, in a commit whose end was not known.
  private func isDone(_ progress: WorkProgress, in decision: Decision) -> Bool {
    guard let release = progress.release?.event, progress.attempt == attempt,
      progress.start?.session == decision.context.session
    else { return false }
    return release.reason == .waiting && release.condition == condition
      && release.stepFailures == failures(fitting: progress)
  }

  /// The promises that the record does not name yet. Children are kept without that.
  private func newlyAwaited(
    _ progress: WorkProgress, in decision: Decision
  ) throws(LedgerError) -> [PromiseID] {
    let room = WorkProgress.maximumAwaitedCount - progress.awaited.count
    var ids: [PromiseID] = []
    for promise in Set(condition.promises).sorted() {
      guard try decision.readablePromise(promise)?.parent != id else { continue }
      ids.append(promise)
    }
    let known = Set(progress.awaited)
    let all = ids + Set(awaited).subtracting(ids).sorted()
    return all.filter { !known.contains($0) }
      .prefix(max(0, min(room, WorkCondition.maximumPromiseCount))).sorted()
  }

  /// The failures of unfinished steps that fit into one event; of the others, those of this attempt are not counted.
  /// The end of a step says itself how often it failed.
  private func failures(fitting progress: WorkProgress) -> [WorkReleased.StepFailures] {
    var byteCount = 0
    return stepFailures.filter { failures in
      guard progress.step(failures.step) == nil else { return false }
      var bytes: [UInt8] = []
      failures.append(to: &bytes)
      guard byteCount + bytes.count <= 1_024 else { return false }
      byteCount += bytes.count
      return true
    }
  }
}

/// Starts the next attempt of work whose code goes on in memory after a freeze or a wait.
package struct TakeUpWork: EntityCommand {
  package let id: PromiseID
  /// The number of the attempt that the code belongs to.
  package let attempt: UInt32

  package init(id: PromiseID, attempt: UInt32) {
    self.id = id
    self.attempt = attempt
  }

  /// - Returns: The number of the attempt that runs now; `nil` if the code has lost the work.
  package func decide(in decision: inout Decision) throws(LedgerError) -> UInt32? {
    try decision.timeOutIfDue(id)
    return try decision.takeUp(id, attempt)
  }
}
