/// The progress of work since its creation: its attempts, and the changes by an operator.
package struct WorkProgress: Sendable, Hashable {
  /// The end of an attempt that did not settle the promise.
  package struct Release: Sendable, Hashable {
    package let fact: LedgerEvent.Trace
    package let event: WorkReleased
  }

  /// A request to cancel the work.
  package struct CancelRequest: Sendable, Hashable {
    package let fact: LedgerEvent.Trace
    package let reason: String
  }

  /// The number of deaths after which work is parked: its code probably ends its process.
  package static let deathLimit: UInt32 = 3

  /// The maximum number of promises that code awaited and that are kept for later attempts. Others may be removed
  /// once they are older than the retention period.
  package static let maximumAwaitedCount = 10_000

  /// The number of attempts that started.
  package private(set) var attempt: UInt32 = 0
  /// The start of the newest attempt.
  package private(set) var start: LedgerEvent.Trace?
  /// The end of the newest attempt; `nil` while it runs.
  package private(set) var release: Release?
  /// The number of failures since the creation, or since an operator resumed the work.
  package private(set) var failureCount: UInt32 = 0
  /// The number of attempts that ended with the death of their process, since code last ended by itself.
  package private(set) var deathCount: UInt32 = 0
  package private(set) var cancelRequest: CancelRequest?
  /// Whether an attempt was given back because its code waits, perhaps for work that it started.
  package private(set) var hasWaited = false
  /// The event that parked the work, if it is parked.
  package private(set) var parking: LedgerEvent.Trace?
  /// The trigger in place of that of the creation.
  package private(set) var trigger: WorkTrigger?
  /// The options in place of those of the creation.
  package private(set) var options: WorkOptions?
  /// The arguments in place of those of the creation.
  package private(set) var arguments: BoundArguments?
  /// The promises that code awaited and that later attempts await again, in ascending order. Empty once the
  /// promise is settled.
  package private(set) var awaited: [PromiseID] = []
  /// The finished steps, in the order of their ends; empty once the promise is settled.
  package private(set) var steps: [WorkStep] = []
  /// The failures of steps that are tried again, in all attempts.
  package private(set) var stepFailures: [WorkReleased.StepFailures] = []
  /// The size of the arguments that are stored beside the creation, in bytes; 0 if they are in its payload.
  let creationAttachmentByteCount: Int
  /// The newest event of the work.
  package private(set) var lastPosition: Position
  /// The time of the newest event.
  package private(set) var lastTime: Timestamp

  /// The trigger in place of that of the creation; `nil` if that one counts.
  var nextTrigger: WorkTrigger? {
    // The code must learn of the request at once: it may have something to undo.
    if cancelRequest != nil, !knowsOfCancellation { return .now }
    if let trigger { return trigger }
    guard let release else { return nil }
    if let condition = release.event.condition { return .firstOf(condition) }
    return release.event.retryTime.map(WorkTrigger.at) ?? .now
  }

  /// Whether a step told the code of the request to cancel the work, as it tells every later attempt.
  package var knowsOfCancellation: Bool { steps.contains { $0.outcome == .cancelled } }

  /// Whether code finished steps or waited, perhaps for work that it started, so that it may have something to undo.
  package var mayHaveSomethingToUndo: Bool { !steps.isEmpty || hasWaited }

  /// Whether the work was cancelled and its code may have to undo something, for which it may take as long as it needs.
  package var mayBeUndoing: Bool { cancelRequest != nil && mayHaveSomethingToUndo }

  /// The finished step with an identity.
  package func step(_ identity: StepIdentity) -> WorkStep? {
    steps.first { $0.identity == identity }
  }

  /// The number of times that the body of an unfinished step failed, in all attempts.
  package func failureCount(of step: StepIdentity) -> UInt32 {
    stepFailures.first { $0.step == step }?.count ?? 0
  }

  /// Whether the process of an attempt died, since code last ended by itself: its code may end the process.
  package var isSuspect: Bool { deathCount > 0 }

  /// Whether the newest attempt is that of a session's code: it runs, or was given back while the code goes on in
  /// memory.
  package func belongs(toAttempt number: UInt32, in session: SessionID) -> Bool {
    guard attempt == number, start?.session == session else { return false }
    guard let release else { return true }
    return parking == nil
      && (release.event.reason == .frozen || release.event.reason == .waiting)
  }

  /// The session that runs the newest attempt.
  package var runningSession: SessionID? { release == nil ? start?.session : nil }
}

// MARK: - Reducer

extension WorkProgress {
  init(_ creation: LedgerEvent.Trace, attachmentByteCount: Int) {
    self.init(
      creationAttachmentByteCount: attachmentByteCount, lastPosition: creation.position,
      lastTime: creation.time)
  }

  /// Applies an event of a promise that is pending. An event that does not fit changes nothing.
  mutating func apply(_ event: borrowing EventView) throws(ReplayProblem) {
    let fact = LedgerEvent.Trace(event)
    switch event.kind {
    case .workStarted: try begin(event, fact)
    case .workReleased: try giveBack(event, fact)
    case .workStepFinished: try finishStep(event, fact)
    case .workCancelRequested:
      let requested: WorkCancelRequested = try event.decode()
      guard cancelRequest == nil else { throw event.doesNotFit("work that is being cancelled") }
      cancelRequest = CancelRequest(fact: fact, reason: requested.reason)
    case .workAmended: try amend(event, fact)
    default: throw event.doesNotFit("work")
    }
    (lastPosition, lastTime) = (event.position, event.time)
  }

  private mutating func begin(
    _ event: borrowing EventView, _ fact: LedgerEvent.Trace
  ) throws(ReplayProblem) {
    let started: WorkStarted = try event.decode()
    // An attempt of another session may be superseded, such as one of a stopped process.
    guard started.attempt - 1 == attempt, started.attempt < .max, runningSession != fact.session,
      parking == nil
    else {
      throw event.doesNotFit("work whose attempt \(started.attempt) cannot begin")
    }
    // The trigger of an operator counts for one attempt.
    (attempt, start, release, trigger) = (started.attempt, fact, nil, nil)
  }

  private mutating func giveBack(
    _ event: borrowing EventView, _ fact: LedgerEvent.Trace
  ) throws(ReplayProblem) {
    let released: WorkReleased = try event.decode()
    guard released.attempt == attempt, runningSession != nil else {
      throw event.doesNotFit("work whose attempt \(released.attempt) does not run")
    }
    if let failed = released.stepFailures.first(where: { step($0.step) != nil }) {
      throw event.doesNotFit("work whose step \(failed.step) was finished before")
    }
    release = Release(fact: fact, event: released)
    failureCount = failureCount.addingClamped(released.failureCount)
    if !released.awaited.isEmpty { awaited = Set(awaited).union(released.awaited).sorted() }
    for failures in released.stepFailures { add(failures) }
    switch released.reason {
    case .died: deathCount = deathCount.addingClamped(1)
    case .retrying, .parked, .waiting: deathCount = 0
    // The process lives, but the code did not end.
    case .frozen, .closed, .cancelled, .notRunnable: break
    }
    if released.reason == .waiting { hasWaited = true }
    if released.reason == .parked || deathCount >= Self.deathLimit { parking = fact }
  }

  private mutating func finishStep(
    _ event: borrowing EventView, _ fact: LedgerEvent.Trace
  ) throws(ReplayProblem) {
    let finished: WorkStepFinished = try event.decode()
    guard finished.attempt == attempt, runningSession == fact.session else {
      throw event.doesNotFit("work whose attempt \(finished.attempt) does not run in the session")
    }
    guard step(finished.step) == nil else {
      throw event.doesNotFit("work whose step \(finished.step) was finished before")
    }
    guard finished.outcome != .cancelled || cancelRequest != nil else {
      throw event.doesNotFit("work that is not being cancelled")
    }
    guard (finished.content == nil) == (event.attachmentByteCount > 0) else {
      throw ReplayProblem(
        .damagedPayload("the result of a step is missing"), at: event.position)
    }
    steps.append(
      WorkStep(
        fact: fact, finished, payload: event.payloadBytes,
        attachmentByteCount: event.attachmentByteCount))
    stepFailures.removeAll { $0.step == finished.step }
    // The code comes further with each attempt.
    deathCount = 0
  }

  private mutating func add(_ failures: WorkReleased.StepFailures) {
    let count = failureCount(of: failures.step).addingClamped(failures.count)
    stepFailures.removeAll { $0.step == failures.step }
    stepFailures.append(WorkReleased.StepFailures(failures.step, count: count))
  }

  /// Drops what only later attempts need: the results of steps, and the promises that code awaited.
  mutating func dropSteps() { (steps, stepFailures, awaited) = ([], [], []) }

  private mutating func amend(
    _ event: borrowing EventView, _ fact: LedgerEvent.Trace
  ) throws(ReplayProblem) {
    let amended: WorkAmended = try event.decode()
    guard amended.parking != .parked || runningSession == nil else {
      throw event.doesNotFit("work that is running")
    }
    if let changed = amended.arguments {
      arguments = BoundArguments(
        arguments: try event.reference(to: changed.arguments), references: changed.references,
        position: event.position)
    }
    trigger = amended.trigger ?? trigger
    options = amended.options ?? options
    switch amended.parking {
    case .unchanged: break
    case .parked: parking = fact
    case .resumed: (parking, failureCount, deathCount, stepFailures) = (nil, 0, 0, [])
    }
  }
}

extension UInt32 {
  fileprivate func addingClamped(_ other: UInt32) -> UInt32 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}

// MARK: - Invariants

extension WorkProgress {
  /// Whether the events came in a possible order.
  func isConsistent(since creation: Position) -> Bool {
    let facts = [start?.position, release?.fact.position].compactMap(\.self)
    let others = [cancelRequest?.fact.position, parking?.position, arguments?.position]
      .compactMap(\.self)
    return (attempt == 0) == (start == nil) && (release == nil || start != nil)
      && release.map { $0.event.attempt == attempt } ?? true
      && zip(facts, facts.dropFirst()).allSatisfy(<)
      && (facts + others).allSatisfy { $0 > creation && $0 <= lastPosition }
      && areStepsConsistent(since: creation)
      && lastPosition >= creation
  }
}

extension WorkProgress {
  private func areStepsConsistent(since creation: Position) -> Bool {
    let positions = [creation] + steps.map(\.fact.position) + [lastPosition]
    return zip(positions, positions.dropFirst()).allSatisfy(<=)
      && Set(steps.map(\.identity)).count == steps.count
      && (steps.isEmpty && stepFailures.isEmpty && awaited.isEmpty || attempt > 0)
      && zip(awaited, awaited.dropFirst()).allSatisfy(<)
      && stepFailures.allSatisfy { step($0.step) == nil }
      && (!knowsOfCancellation || cancelRequest != nil)
  }
}
