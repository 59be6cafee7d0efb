/// The ledger's record of work at one moment.
public struct WorkRecord: Sendable, Hashable {
  /// The state of work.
  @nonexhaustive public enum State: Sendable, Hashable {
    /// It is due, or waits for its trigger.
    case waiting(WorkTrigger)
    /// A session runs an attempt.
    case running(in: SessionID)
    /// It waits for an operator.
    case parked
    /// Its promise is settled or abandoned.
    case ended
  }

  /// The stable name of its kind, as it was when the work was started.
  public let kind: String
  /// Its state.
  public let state: State
  /// Its priority, lane, limits and retry policy.
  public let options: WorkOptions
  /// The number of attempts that were started.
  public let attemptCount: Int
  /// The number of failures since it was started, or since an operator resumed it.
  public let failureCount: Int
  /// The number of attempts that ended with the death of their process, since code last ended by itself. Work
  /// is parked after three of them.
  public let deathCount: Int
  /// The error of the newest attempt, if it failed and did not settle the promise.
  public let lastError: StoredError?
  /// The finished steps of pending work, in the order of their ends: each name, with its key in brackets or its
  /// number.
  public let steps: [String]
  /// The steps of pending work that failed and are tried again, with the number of their failures.
  public let retriedSteps: [String: Int]
  /// The reason of a request to cancel the work, if there was one.
  public let cancelReason: String?
  /// The trigger with which it was started.
  package let firstTrigger: WorkTrigger

  init?(_ entity: PromiseEntity, _ creation: PromiseCreated) {
    guard let work = creation.work else { return nil }
    let progress = entity.progress
    kind = work.kind
    firstTrigger = work.trigger
    options = progress?.options ?? work.options
    state =
      switch entity.workPlace(work)?.phase {
      case .waiting(let trigger): .waiting(trigger)
      case .running(let session): .running(in: session)
      case .parked: .parked
      case nil: .ended
      }
    attemptCount = Int(progress?.attempt ?? 0)
    failureCount = Int(progress?.failureCount ?? 0)
    deathCount = Int(progress?.deathCount ?? 0)
    lastError = progress?.release?.event.error
    steps = progress?.steps.map(\.identity.description) ?? []
    let failures = progress?.stepFailures ?? []
    retriedSteps = Dictionary(
      failures.map { ($0.step.description, Int($0.count)) }, uniquingKeysWith: +)
    cancelReason = progress?.cancelRequest?.reason
  }
}
