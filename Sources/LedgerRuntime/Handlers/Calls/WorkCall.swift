/// An attempt of work, as its code sees it.
public typealias WorkCall<Context: Sendable> = LedgerCall<CalledWork, Context>

/// The work that is being run.
public struct CalledWork: Sendable {
  let promise: PromiseID
  /// The present name of its kind.
  let kind: String
  let startedAt: Timestamp
  let flow: WorkFlow
  /// The promises among the arguments.
  let promises: Set<PromiseID>
  let observer: (any WorkObserver)?
}

/// The runner that is told when code gives its work back, and goes on.
protocol WorkObserver: AnyObject, Sendable {
  func workWasSuspended(_ id: PromiseID, _ flow: WorkFlow)
  func workWasTakenUp(_ id: PromiseID, _ flow: WorkFlow)
  /// All parts of the code may wait, some of them too shortly to give the work back.
  func workMayRest()
}

extension LedgerCall where Subject == CalledWork {
  /// The promise that the code settles.
  public var promise: PromiseID { subject.promise }

  /// The number of this attempt, counted from 1. It grows while the code is in memory if the code waits.
  public var attempt: Int { Int(subject.flow.attempt) }

  /// The time at which the work was started, the same in all attempts.
  public var startedAt: Timestamp { subject.startedAt }

  /// A key that is the same in all attempts, with which another system can recognize a repetition.
  public var idempotencyKey: String { "\(subject.promise)" }
}

/// A run of the body of a step, as the body sees it. The changes that it requests happen in the commit that keeps
/// the result.
public typealias StepCall<Context: Sendable> = LedgerCall<CalledStep, Context>

/// The step that is being run.
public struct CalledStep: Sendable {
  let promise: PromiseID
  let identity: StepIdentity
  /// The identity under its oldest name, by which other systems know it.
  let oldest: StepIdentity
  let number: UInt32
}

extension LedgerCall where Subject == CalledStep {
  /// A key of the step that is the same each time that its body runs, with which another system can recognize a
  /// repetition: a UUID.
  public var idempotencyKey: String { subject.oldest.idempotencyKey(of: subject.promise) }

  /// The number of this run of the body, counted from 1; runs that ended with the death of their process do not
  /// count.
  public var attempt: Int { Int(subject.number) }
}
