/// The state of pending work at one moment, in more detail than its record tells: it depends on the time, on
/// awaited promises, and on the sessions whose processes are alive.
public struct WorkStanding: Sendable, Hashable {
  /// The state of pending work.
  @nonexhaustive public enum State: String, Sendable, Hashable, CaseIterable {
    /// Its trigger is reached, and no session runs it.
    case due
    /// Its trigger is not reached.
    case waiting
    /// A session runs an attempt, according to the log.
    case running
    /// Its code failed, and the time of the next attempt has not come.
    case retrying
    /// It waits for an operator.
    case parked
    /// It is due, and no session of the ledger is open in a living process, so nothing can run it now.
    ///
    /// Sessions do not record the kinds that they run. So work that is due although sessions are open counts
    /// as ``due``, even if none of them knows its kind.
    case orphaned
  }

  /// The state.
  public let state: State
  /// The time since which the work has this state, or had its newest change.
  public let since: Timestamp
  /// The session that runs it.
  public let session: SessionID?
  /// Whether the process of that session is there.
  public let presence: SessionRecord.Presence?
}

extension PromiseEntity {
  /// The state of pending work; `nil` for any other promise.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - presences: The sessions that have not ended.
  ///   - lookUp: Returns a promise; `nil` if it cannot be read.
  package func workStanding(
    at now: Timestamp, _ presences: SessionPresences,
    lookUp: (PromiseID) throws(LedgerError) -> PromiseEntity?
  ) throws(LedgerError) -> WorkStanding? {
    guard let place = workPlace else { return nil }
    switch place.phase {
    case .running(let session):
      return WorkStanding(
        state: .running, since: progress?.start?.time ?? readySince, session: session,
        presence: presences[session])
    case .parked:
      return WorkStanding(.parked, since: progress?.parking?.time ?? readySince)
    case .waiting(let trigger):
      switch try trigger.reach(at: now, since: readySince, lookUp: lookUp) {
      case .pending:
        return WorkStanding(isRetry(trigger) ? .retrying : .waiting, since: readySince)
      case .reached(let since), .excluded(_, let since):
        return WorkStanding(presences.living.isEmpty ? .orphaned : .due, since: since)
      }
    }
  }

  /// Whether a trigger is the time of the next attempt after a failure.
  func isRetry(_ trigger: WorkTrigger) -> Bool {
    if !(progress?.retriedSteps(trigger) ?? []).isEmpty { return true }
    guard let time = progress?.release?.event.retryTime else { return false }
    return trigger == .at(time)
  }

  /// The time since which only the trigger keeps work from being due.
  var readySince: Timestamp {
    guard let progress else { return created.time }
    let isAmended = progress.trigger != nil || progress.cancelRequest != nil
    if !isAmended, let release = progress.release { return release.fact.time }
    return isAmended ? progress.lastTime : created.time
  }
}

extension WorkProgress {
  /// The steps that failed and are tried again, if a trigger is what the code waits for.
  func retriedSteps(_ trigger: WorkTrigger) -> [WorkReleased.StepFailures] {
    guard case .firstOf(let condition) = trigger, condition == release?.event.condition,
      let failed = release?.event.stepFailures
    else { return [] }
    return stepFailures.filter { known in failed.contains { $0.step == known.step } }
  }
}

extension WorkStanding {
  fileprivate init(_ state: State, since: Timestamp) {
    self.init(state: state, since: since, session: nil, presence: nil)
  }
}
