import Synchronization

/// The state that all parts of one work's code share while the code is in memory: the finished steps, the
/// steps that run, the waits, and whether the code still has the work.
///
/// It changes only in memory. ``WorkDriver`` records in the ledger what it says.
final class WorkFlow: Sendable {
  /// The relation of the code to the work.
  enum Phase {
    /// The attempt runs.
    case running
    /// The session is giving the attempt back, because the code only waits.
    case suspending
    /// The attempt was given back, and the code stays in memory.
    case suspended
    /// The session is starting the next attempt, because the code goes on.
    case resuming
    /// The code has ended, or lost the work.
    case ended
  }

  /// A part of the code that waits.
  struct Wait {
    let wish: WorkWish
    let ignoresCancellation: Bool
    /// What looks out for its end while the attempt runs.
    var watcher: Task<Void, Never>?
    var waiter: CheckedContinuation<Void, Never>?
    var isDue = false
    /// Whether it ended because the work is cancelled.
    var isCancelled = false
  }

  struct Contents {
    var phase = Phase.running
    var attempt: UInt32
    var steps: [StepIdentity: WorkStep]
    /// The failures of unfinished steps that are recorded.
    var failures: [StepIdentity: UInt32]
    /// The number of steps of each name without a key that this code has begun.
    var occurrences: [String: UInt32] = [:]
    /// The children, joints and promises of its own that this code has asked for.
    var children: Set<StepIdentity> = []
    /// The steps that this code has begun and not ended.
    var begun: Set<StepIdentity> = []
    /// The steps that do not wait, and a closure that cancels the body of each.
    var active: [StepIdentity: @Sendable () -> Void] = [:]
    /// The steps that were running when the work was cancelled.
    var cancelled: Set<StepIdentity> = []
    var waits: [Int: Wait] = [:]
    var waitCount = 0
    /// Settled promises that this code awaited, but for its children, and that the record of the work does not name
    /// yet.
    var awaited: Set<PromiseID> = []
    /// Whether the runner is starting the next attempt for the code.
    var isClaimed = false
    /// Whether the session is about to ask for a suspension.
    var plansSuspension = false
    /// Those that wait for the end of a suspension or a resumption.
    var phaseWaiters: [CheckedContinuation<Void, Never>] = []
    var isCancelRequested: Bool
    var knowsOfCancellation: Bool
    /// Whether it knows only because parts of it were told, of which none has made anything of that yet.
    var wasOnlyTold = false
    var fault: StoredError?
    /// Whether this code finished a step or gave its work back.
    var hasAdvanced = false
    var usesSteps: Bool
    /// The steps that ignore a cancellation.
    var uncancelled: Set<StepIdentity> = []
    /// The number of commands that may have the effect of taking the work up.
    var commandCount = 0
    /// Those among them that were superseded, and wait for the others.
    var supersededWaiters: [CheckedContinuation<Bool, Never>] = []
    /// The moment at which the attempt began in this process; `nil` while the work is given back.
    var start: Duration?
    /// Whether the code must end, because its runner stops or the attempt takes too long.
    var isInterrupted = false
    /// Whether an operation of the code has failed because of that.
    var wasCutOff = false
  }

  let contents: Mutex<Contents>
  /// The clock that measures attempts. It stands still while the session is frozen, if that is recorded.
  let uptime: @Sendable () -> Duration

  init(_ progress: WorkProgress?, uptime: @escaping @Sendable () -> Duration) {
    self.uptime = uptime
    var steps: [StepIdentity: WorkStep] = [:]
    for step in progress?.steps ?? [] { steps[step.identity] = step }
    var failures: [StepIdentity: UInt32] = [:]
    for failed in progress?.stepFailures ?? [] { failures[failed.step] = failed.count }
    contents = Mutex(
      Contents(
        attempt: progress?.attempt ?? 0, steps: steps, failures: failures,
        isCancelRequested: progress?.cancelRequest != nil,
        knowsOfCancellation: progress?.knowsOfCancellation ?? false, usesSteps: !steps.isEmpty,
        start: uptime()))
  }

  /// The number of the attempt that the code belongs to.
  var attempt: UInt32 { contents.withLock { $0.attempt } }

  /// - Throws: ``WorkSuspended`` if the code has lost the work.
  func requireWork() throws { try contents.withLock { try $0.requireWork() } }

  /// Whether the code has ended, or lost the work.
  var hasEnded: Bool { contents.withLock { $0.phase == .ended } }

  /// Whether this code finished a step or gave its work back, so that it is not suspected of ending its process.
  var hasAdvanced: Bool { contents.withLock { $0.hasAdvanced } }

  /// Whether the attempt runs, as far as the code knows.
  var isRunning: Bool { contents.withLock { $0.phase == .running } }

  /// Whether the code has begun a step or a wait, so that it learns of a cancellation from one.
  var usesSteps: Bool { contents.withLock { $0.usesSteps } }

  /// The time that the attempt has taken; zero while the work is given back.
  var timeInAttempt: Duration {
    contents.withLock { contents in contents.start.map { uptime() - $0 } ?? .zero }
  }

  /// The reason to park the work, if the code did something that no attempt of this build can do.
  var fault: StoredError? { contents.withLock { $0.fault } }
}

// MARK: - Steps

extension WorkFlow {
  /// The step that code asks for.
  enum Begun {
    /// It was finished before.
    case finished(WorkStep)
    /// It must be run.
    case new(StepIdentity)
    /// In place of running it, the code must learn that the work is cancelled.
    case cancelled(StepIdentity)
  }

  /// Begins a step, or finds its result.
  ///
  /// - Parameters:
  ///   - former: Former names of the step.
  ///   - isToldOfCancellation: Whether the code learns of a cancellation in place of running a new step.
  ///   - ignoresCancellation: Whether the step runs although the work is cancelled.
  /// - Throws: ``WorkSuspended`` if the code has lost the work; ``StepMisuse``.
  func begin(
    _ name: String, key: String?, formerly former: [String] = [],
    isToldOfCancellation: Bool = true, ignoresCancellation: Bool = false
  ) throws -> Begun {
    try contents.withLock { contents in
      try contents.requireWork()
      contents.usesSteps = true
      let identity: StepIdentity
      if let key {
        identity = StepIdentity(name, .key(key))
      } else {
        let last = contents.occurrences[name, default: 0]
        if contents.begun.contains(StepIdentity(name, .occurrence(last))) {
          throw StepMisuse.withoutKeys(name)
        }
        identity = StepIdentity(name, .occurrence(last + 1))
      }
      let names = [name] + former
      let found = names.compactMap { contents.steps[StepIdentity($0, identity.distinction)] }.first
      if case .occurrence(let number) = identity.distinction {
        contents.occurrences[name] = number
      }
      if let found { return .finished(found) }
      try contents.requireTime()
      guard contents.begun.insert(identity).inserted else { throw StepMisuse.twice(identity) }
      if isToldOfCancellation, !ignoresCancellation, contents.takeCancellation() {
        return .cancelled(identity)
      }
      contents.active[identity] = {}
      if ignoresCancellation { contents.uncancelled.insert(identity) }
      return .new(identity)
    }
  }

  /// The maximum number of children, joints and promises of its own that work may have.
  static let maximumChildCount = 10_000

  /// Notes that the code asks for a child. Each attempt asks for those of earlier ones again, so that all of them are
  /// counted.
  ///
  /// - Returns: Whether the work may have so many.
  func noteChild(_ child: StepIdentity, maximum: Int = maximumChildCount) -> Bool {
    contents.withLock { contents in
      contents.children.insert(child)
      return contents.children.count <= maximum
    }
  }

  /// The cancellation that an earlier attempt learned of at a wait.
  func cancellation(of wait: StepIdentity) throws -> WorkStep? {
    try contents.withLock { contents in
      try contents.requireWork()
      contents.usesSteps = true
      return contents.steps[wait]
    }
  }

  /// Whether this part of the code must learn that the work is cancelled, because no other part does.
  func takeCancellation() throws -> Bool {
    try contents.withLock { contents in
      try contents.requireWork()
      return contents.takeCancellation()
    }
  }

  /// The failures of an unfinished step that are recorded.
  func failureCount(of step: StepIdentity) -> UInt32 {
    contents.withLock { $0.failures[step] ?? 0 }
  }

  /// Notes the closure that cancels the body of a step.
  ///
  /// - Returns: Whether the body must be cancelled at once.
  func setBody(of step: StepIdentity, cancel: @escaping @Sendable () -> Void) -> Bool {
    contents.withLock { contents in
      contents.active[step] = cancel
      return contents.cancelled.contains(step)
    }
  }

  /// Whether a step was running when the work was cancelled.
  func wasCancelled(_ step: StepIdentity) -> Bool {
    contents.withLock { $0.cancelled.contains(step) }
  }

  /// Notes the end of a step, and its result if that is kept.
  func end(_ identity: StepIdentity, _ step: WorkStep? = nil, attempt: UInt32? = nil) {
    contents.withLock { contents in
      contents.active[identity] = nil
      contents.begun.remove(identity)
      contents.uncancelled.remove(identity)
      if let attempt { contents.attempt = max(attempt, contents.attempt) }
      if contents.cancelled.remove(identity) != nil, step?.outcome != .cancelled {
        contents.forgetUnheard()
      }
      guard let step else { return }
      contents.steps[step.identity] = step
      contents.hasAdvanced = true
      contents.failures[identity] = nil
      if step.outcome == .cancelled { contents.noteLearned() }
    }
  }
}

extension WorkFlow.Contents {
  func requireWork() throws {
    if phase == .ended || fault != nil { throw WorkSuspended() }
  }

  /// - Throws: ``WorkSuspended`` if the code must end. Whatever the code makes of that does not count.
  mutating func requireTime() throws {
    try requireWork()
    guard !isInterrupted else {
      wasCutOff = true
      throw WorkSuspended()
    }
  }

  /// Tells all parts of the code that run a body or wait of the cancellation; if there are none, the first part that
  /// asks will learn of it.
  ///
  /// - Returns: Closures that cancel bodies.
  mutating func noteCancelRequest() -> [@Sendable () -> Void] {
    guard !isCancelRequested else { return [] }
    isCancelRequested = true
    guard !knowsOfCancellation else { return [] }
    let told = active.filter { !uncancelled.contains($0.key) }
    cancelled.formUnion(told.keys)
    for (number, wait) in waits where !wait.ignoresCancellation {
      waits[number]?.isCancelled = true
    }
    knowsOfCancellation = !told.isEmpty || waits.values.contains(where: \.isCancelled)
    wasOnlyTold = knowsOfCancellation
    return Array(told.values)
  }

  /// Notes that a part of the code makes something of the cancellation.
  mutating func noteLearned() { (knowsOfCancellation, wasOnlyTold) = (true, false) }

  /// After a part that was told ended as if it were not, the next part that asks learns of the cancellation, unless
  /// others were told.
  mutating func forgetUnheard() {
    guard wasOnlyTold, cancelled.isEmpty, !waits.values.contains(where: \.isCancelled) else {
      return
    }
    (knowsOfCancellation, wasOnlyTold) = (false, false)
  }

  /// The first part of the code that asks learns of the cancellation.
  mutating func takeCancellation() -> Bool {
    guard isCancelRequested, !knowsOfCancellation else { return false }
    noteLearned()
    return true
  }
}
