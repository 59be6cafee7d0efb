import Synchronization

/// The state that all parts of one work's code share while the code is in memory: the finished steps, the
/// steps that run, the waits, and whether the code still has the work.
///
/// It changes only in memory. ``WorkDriver`` records in the ledger what it says.
final class WorkFlow: Sendable {
  /// The relation of the code to the work.
  fileprivate enum Phase {
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
  fileprivate struct Wait {
    let wish: WorkWish
    let ignoresCancellation: Bool
    /// What looks out for its end while the attempt runs.
    var watcher: Task<Void, Never>?
    var waiter: CheckedContinuation<Void, Never>?
    var isDue = false
    /// Whether it ended because the work is cancelled.
    var isCancelled = false
  }

  fileprivate struct Contents {
    var phase = Phase.running
    var attempt: UInt32
    var steps: [StepIdentity: WorkStep]
    /// The failures of unfinished steps that are recorded.
    var failures: [StepIdentity: UInt32]
    /// The number of steps of each name without a key that this code has begun.
    var occurrences: [String: UInt32] = [:]
    /// The steps that this code has begun and not ended.
    var begun: Set<StepIdentity> = []
    /// The steps that do not wait, and a closure that cancels the body of each.
    var active: [StepIdentity: @Sendable () -> Void] = [:]
    /// The steps that were running when the work was cancelled.
    var cancelled: Set<StepIdentity> = []
    var waits: [Int: Wait] = [:]
    var waitCount = 0
    /// Whether the session is about to ask for a suspension.
    var plansSuspension = false
    /// Those that wait for the end of a suspension or a resumption.
    var phaseWaiters: [CheckedContinuation<Void, Never>] = []
    var isCancelRequested: Bool
    var knowsOfCancellation: Bool
    var fault: StoredError?
    var usesSteps: Bool
    /// The steps that ignore a cancellation.
    var uncancelled: Set<StepIdentity> = []
    /// The number of commands that may have the effect of taking the work up.
    var commandCount = 0
    /// Those among them that were superseded, and wait for the others.
    var supersededWaiters: [CheckedContinuation<Bool, Never>] = []
    /// The start of the attempt in this process; `nil` while the work is given back.
    var start: ContinuousClock.Instant? = ContinuousClock().now
  }

  private let contents: Mutex<Contents>

  init(_ progress: WorkProgress?) {
    var steps: [StepIdentity: WorkStep] = [:]
    for step in progress?.steps ?? [] { steps[step.identity] = step }
    var failures: [StepIdentity: UInt32] = [:]
    for failed in progress?.stepFailures ?? [] { failures[failed.step] = failed.count }
    contents = Mutex(
      Contents(
        attempt: progress?.attempt ?? 0, steps: steps, failures: failures,
        isCancelRequested: progress?.cancelRequest != nil,
        knowsOfCancellation: progress?.knowsOfCancellation ?? false, usesSteps: !steps.isEmpty))
  }

  /// The number of the attempt that the code belongs to.
  var attempt: UInt32 { contents.withLock { $0.attempt } }

  /// - Throws: ``WorkSuspended`` if the code has lost the work.
  func requireWork() throws { try contents.withLock { try $0.requireWork() } }

  /// Whether the code has ended, or lost the work.
  var hasEnded: Bool { contents.withLock { $0.phase == .ended } }

  /// Whether the attempt runs, as far as the code knows.
  var isRunning: Bool { contents.withLock { $0.phase == .running } }

  /// Whether the code has begun a step or a wait, so that it learns of a cancellation from one.
  var usesSteps: Bool { contents.withLock { $0.usesSteps } }

  /// The time that the attempt has taken; zero while the work is given back.
  var timeInAttempt: Duration {
    contents.withLock { contents in contents.start.map { ContinuousClock().now - $0 } ?? .zero }
  }

  /// The reason to park the work, if the code did something that no attempt of this build can do.
  var fault: StoredError? { contents.withLock { $0.fault } }
}

/// A wish of waiting code: when to go on.
struct WorkWish: Sendable {
  /// The time to go on at.
  var time: Timestamp?
  /// The promises of which a settlement lets the code go on.
  var promises: [PromiseID] = []
  /// The failures of a step that is tried again, and the last error.
  var failures: (WorkReleased.StepFailures, StoredError)?
  /// Whether the wait is too short to give the work back.
  var isShort = false
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
      guard contents.begun.insert(identity).inserted else { throw StepMisuse.twice(identity) }
      if isToldOfCancellation, !ignoresCancellation, contents.takeCancellation() {
        return .cancelled(identity)
      }
      contents.active[identity] = {}
      if ignoresCancellation { contents.uncancelled.insert(identity) }
      return .new(identity)
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
      guard let step else { return }
      contents.steps[step.identity] = step
      contents.failures[identity] = nil
      if step.outcome == .cancelled { contents.knowsOfCancellation = true }
    }
  }
}

extension WorkFlow.Contents {
  fileprivate func requireWork() throws {
    if phase == .ended || fault != nil { throw WorkSuspended() }
  }

  /// Tells all parts of the code that run a body or wait of the cancellation; if there are none, the first part that
  /// asks will learn of it.
  ///
  /// - Returns: Closures that cancel bodies.
  fileprivate mutating func noteCancelRequest() -> [@Sendable () -> Void] {
    guard !isCancelRequested else { return [] }
    isCancelRequested = true
    guard !knowsOfCancellation else { return [] }
    let told = active.filter { !uncancelled.contains($0.key) }
    cancelled.formUnion(told.keys)
    for (number, wait) in waits where !wait.ignoresCancellation {
      waits[number]?.isCancelled = true
    }
    knowsOfCancellation = !told.isEmpty || waits.values.contains(where: \.isCancelled)
    return Array(told.values)
  }

  /// The first part of the code that asks learns of the cancellation.
  fileprivate mutating func takeCancellation() -> Bool {
    guard isCancelRequested, !knowsOfCancellation else { return false }
    knowsOfCancellation = true
    return true
  }
}

// MARK: - Waits

extension WorkFlow {
  /// The wishes of all waiting parts of the code, with which the session can give the work back.
  struct Suspension: Sendable {
    let attempt: UInt32
    let condition: WorkCondition
    let failures: [WorkReleased.StepFailures]
    let error: StoredError?
  }

  /// Registers a wait, if the attempt runs.
  ///
  /// - Parameter step: The step that waits for its next try; it does not run meanwhile.
  /// - Returns: The number of the wait; `nil` if the attempt must be taken up first.
  func register(_ wish: WorkWish, of step: StepIdentity?) throws -> Int? {
    try contents.withLock { contents in
      try contents.requireWork()
      guard contents.phase == .running else { return nil }
      if let step { contents.active[step] = nil }
      contents.waitCount += 1
      let ignores = step.map { contents.uncancelled.contains($0) } ?? false
      contents.waits[contents.waitCount] = Wait(wish: wish, ignoresCancellation: ignores)
      return contents.waitCount
    }
  }

  /// Notes what looks out for the end of a wait while the attempt runs.
  func setWatcher(of wait: Int, _ watcher: Task<Void, Never>) {
    let isNeeded = contents.withLock { contents in
      guard contents.phase == .running else { return false }
      contents.waits[wait]?.watcher = watcher
      return contents.waits[wait] != nil
    }
    if !isNeeded { watcher.cancel() }
  }

  /// Forgets a wait.
  ///
  /// - Returns: Whether it ended because the work is cancelled, so that the code must learn of it.
  @discardableResult
  func forget(_ wait: Int, of step: StepIdentity?) -> Bool {
    let forgotten = contents.withLock { contents in
      if let step, contents.begun.contains(step) { contents.active[step] = {} }
      return contents.waits.removeValue(forKey: wait)
    }
    forgotten?.watcher?.cancel()
    return forgotten?.isCancelled ?? false
  }

  /// Lets one waiting part of the code go on.
  func wake(_ wait: Int) {
    contents.withLock { $0.takeWaiter(of: wait) }?.resume()
  }

  /// Waits until the wait is woken, or the task is cancelled.
  func pause(_ wait: Int) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = contents.withLock { contents in
          guard let known = contents.waits[wait], !known.isDue, !Task.isCancelled else {
            return true
          }
          contents.waits[wait]?.waiter = continuation
          return false
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      wake(wait)
    }
  }

  /// The time at which the code goes on, if all parts of it that are known wait, and one of them too shortly to
  /// give the work back.
  var restsUntil: Timestamp? {
    contents.withLock { contents in
      guard contents.phase == .running, contents.active.isEmpty,
        contents.waits.values.contains(where: \.wish.isShort),
        !contents.waits.values.contains(where: \.isDue)
      else { return nil }
      return contents.waits.values.compactMap(\.wish.time).min()
    }
  }

  /// Whether the session should soon ask for a suspension, and does not yet.
  func planSuspension() -> Bool {
    contents.withLock { contents in
      guard contents.mayBeSuspended, !contents.plansSuspension else { return false }
      contents.plansSuspension = true
      return true
    }
  }

  /// Begins to give the work back, if all parts of the code that are known wait, and none only shortly.
  ///
  /// - Parameter now: The time. If the code waits for more promises than fit into a condition, it looks at the others
  ///   after a minute.
  func beginSuspension(at now: Timestamp) -> Suspension? {
    contents.withLock { contents in
      contents.plansSuspension = false
      guard contents.mayBeSuspended else { return nil }
      let wishes = contents.waits.sorted { $0.key < $1.key }.map(\.value.wish)
      var times = wishes.compactMap(\.time)
      let promises = Set(wishes.flatMap(\.promises))
      if promises.count > WorkCondition.maximumPromiseCount { times.append(now + .seconds(60)) }
      let condition = WorkCondition(
        time: times.min(), promises: promises.sorted().prefix(WorkCondition.maximumPromiseCount))
      contents.phase = .suspending
      return Suspension(
        attempt: contents.attempt, condition: condition,
        failures: wishes.compactMap { $0.failures?.0 }, error: wishes.compactMap(\.failures).last?.1
      )
    }
  }

  /// Notes that the session gave the work back.
  func noteSuspended(_ suspension: Suspension, attempt: UInt32) {
    change { contents in
      guard contents.phase == .suspending else { return [] }
      contents.attempt = attempt
      contents.phase = .suspended
      contents.start = nil
      // From now on, the runner looks out.
      for wait in contents.waits.keys { contents.waits[wait]?.watcher.take()?.cancel() }
      for failed in suspension.failures {
        let (sum, isOver) = contents.failures[failed.step, default: 0]
          .addingReportingOverflow(failed.count)
        contents.failures[failed.step] = isOver ? .max : sum
      }
      return contents.takePhaseWaiters()
    }
  }

  /// Notes that the attempt runs, and lets all waiting parts of the code look again.
  ///
  /// - Parameters:
  ///   - progress: The work as it was when the attempt started, if the ledger told.
  /// - Returns: Whether the code has the work; not if another attempt ran since it was given back.
  @discardableResult
  func noteRunning(_ attempt: UInt32, _ progress: WorkProgress? = nil) -> Bool {
    var hasWork = true
    change { contents in
      guard contents.phase != .ended, attempt >= contents.attempt, attempt <= contents.attempt + 1
      else {
        hasWork = contents.phase == .running && contents.attempt == attempt
        return []
      }
      contents.attempt = attempt
      contents.phase = .running
      if let progress {
        contents.failures = [:]
        for failed in progress.stepFailures { contents.failures[failed.step] = failed.count }
        if progress.cancelRequest != nil { _ = contents.noteCancelRequest() }
      }
      contents.start = contents.start ?? ContinuousClock().now
      return contents.takeWaiters() + contents.takePhaseWaiters()
    }
    return hasWork
  }

  /// The way in which code that goes on gets its work back.
  enum Resumption {
    /// The attempt runs.
    case running
    /// The caller must start the next attempt.
    case take(attempt: UInt32)
    /// The caller must ask again.
    case wait
  }

  /// Begins to take the work up, if it was given back.
  func beginResumption() throws -> Resumption {
    try contents.withLock { contents in
      try contents.requireWork()
      switch contents.phase {
      case .running: return .running
      case .suspended:
        contents.phase = .resuming
        return .take(attempt: contents.attempt)
      case .suspending, .resuming, .ended: return .wait
      }
    }
  }

  /// Waits until the session has given the work back, or has taken it up.
  func waitForPhase() async {
    await withCheckedContinuation { continuation in
      let isOver = contents.withLock { contents in
        guard contents.phase == .suspending || contents.phase == .resuming else { return true }
        contents.phaseWaiters.append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }
}

extension WorkFlow.Contents {
  fileprivate var mayBeSuspended: Bool {
    phase == .running && active.isEmpty && !waits.isEmpty
      && !waits.values.contains { $0.isDue || $0.wish.isShort }
      && (!isCancelRequested || knowsOfCancellation)
  }

  fileprivate mutating func takeWaiter(of wait: Int) -> CheckedContinuation<Void, Never>? {
    waits[wait]?.isDue = true
    return waits[wait]?.waiter.take()
  }

  fileprivate mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
    waits.keys.compactMap { takeWaiter(of: $0) }
  }

  fileprivate mutating func takePhaseWaiters() -> [CheckedContinuation<Void, Never>] {
    defer { phaseWaiters = [] }
    return phaseWaiters
  }
}

// MARK: - Commands

extension WorkFlow {
  /// Notes that a command is on its way that takes the work up if it was given back.
  func beginCommand() { contents.withLock { $0.commandCount += 1 } }

  func endCommand() {
    let waiters = contents.withLock { contents in
      contents.commandCount -= 1
      return contents.takeSupersededWaiters()
    }
    for waiter in waiters { waiter.resume(returning: true) }
  }

  /// The number of the attempt that another command of this code has started; `nil` if none has.
  ///
  /// Call it after the command for an attempt was superseded.
  func newerAttempt(than attempt: UInt32) async -> UInt32? {
    while true {
      if self.attempt > attempt { return self.attempt }
      let mayCome = await withCheckedContinuation { continuation in
        let waiters = contents.withLock { contents -> [CheckedContinuation<Bool, Never>] in
          contents.supersededWaiters.append(continuation)
          // If all commands wait for each other, nothing will come.
          let isHopeless = contents.supersededWaiters.count >= contents.commandCount
          return isHopeless ? contents.takeSupersededWaiters() : []
        }
        for waiter in waiters { waiter.resume(returning: false) }
      }
      if !mayCome { return self.attempt > attempt ? self.attempt : nil }
    }
  }
}

extension WorkFlow.Contents {
  fileprivate mutating func takeSupersededWaiters() -> [CheckedContinuation<Bool, Never>] {
    defer { supersededWaiters = [] }
    return supersededWaiters
  }
}

// MARK: - Ends

extension WorkFlow {
  /// Notes that the work is cancelled: bodies that run are cancelled, and waits end.
  func noteCancelRequest() {
    var bodies: [@Sendable () -> Void] = []
    change { contents in
      bodies = contents.noteCancelRequest()
      return contents.takeWaiters()
    }
    for cancel in bodies { cancel() }
  }

  /// Notes that the code has lost the work, or has ended: from now on, every operation throws ``WorkSuspended``.
  ///
  /// - Parameter fault: The reason to park the work.
  func end(parking fault: StoredError? = nil) {
    change { contents in
      contents.fault = contents.fault ?? fault
      contents.phase = .ended
      return contents.takeWaiters() + contents.takePhaseWaiters()
    }
  }

  /// Changes the state, and then resumes those that wait for the change.
  private func change(_ body: (inout Contents) -> [CheckedContinuation<Void, Never>]) {
    let waiters = contents.withLock { body(&$0) }
    for waiter in waiters { waiter.resume() }
  }
}
