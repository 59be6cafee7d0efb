import Synchronization

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

extension WorkFlow {
  /// The wishes of all waiting parts of the code, with which the session can give the work back.
  struct Suspension: Sendable {
    let attempt: UInt32
    let condition: WorkCondition
    let awaited: [PromiseID]
    let failures: [WorkReleased.StepFailures]
    let error: StoredError?
  }

  /// Registers a wait, if the attempt runs.
  ///
  /// - Parameter step: The step that waits for its next try; it does not run meanwhile.
  /// - Returns: The number of the wait; `nil` if the attempt must be taken up first.
  func register(_ wish: WorkWish, of step: StepIdentity?) throws -> Int? {
    try contents.withLock { contents in
      try contents.requireTime()
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
      let forgotten = contents.waits.removeValue(forKey: wait)
      if forgotten?.isCancelled == true { contents.noteLearned() }
      return forgotten
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

  /// Notes a settled promise that the code awaited, so that its record is kept for later attempts.
  func note(awaited promise: PromiseID) {
    contents.withLock { _ = $0.awaited.insert(promise) }
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
        awaited: Array(
          contents.awaited.subtracting(condition.promises).sorted()
            .prefix(WorkCondition.maximumPromiseCount - condition.promises.count)),
        failures: wishes.compactMap { $0.failures?.0 }, error: wishes.compactMap(\.failures).last?.1
      )
    }
  }

  /// Notes that the session gave the work back.
  func noteSuspended(_ suspension: Suspension, attempt: UInt32) {
    change { contents in
      guard contents.phase == .suspending else { return [] }
      contents.attempt = attempt
      (contents.phase, contents.hasAdvanced) = (.suspended, true)
      contents.awaited.subtract(suspension.awaited + suspension.condition.promises)
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
      contents.start = contents.start ?? uptime()
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

  /// Begins to start the next attempt on behalf of code that waits: it does not take the work up itself meanwhile.
  ///
  /// - Returns: Whether the next attempt may be started; not if the code is just taking the work up.
  func beginClaim() -> Bool {
    contents.withLock { contents in
      switch contents.phase {
      case .suspended:
        contents.phase = .resuming
        contents.isClaimed = true
        return true
      case .ended: return true
      case .running, .suspending, .resuming: return false
      }
    }
  }

  /// Notes the end of a claim. If it did not start the next attempt, the code may take the work up again.
  func endClaim() {
    change { contents in
      guard contents.isClaimed else { return [] }
      contents.isClaimed = false
      guard contents.phase == .resuming else { return [] }
      contents.phase = .suspended
      return contents.takePhaseWaiters()
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
  var mayBeSuspended: Bool {
    phase == .running && active.isEmpty && !waits.isEmpty
      && !waits.values.contains { $0.isDue || $0.wish.isShort }
      && (!isCancelRequested || knowsOfCancellation)
  }

  mutating func takeWaiter(of wait: Int) -> CheckedContinuation<Void, Never>? {
    waits[wait]?.isDue = true
    return waits[wait]?.waiter.take()
  }

  mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
    waits.keys.compactMap { takeWaiter(of: $0) }
  }

  mutating func takePhaseWaiters() -> [CheckedContinuation<Void, Never>] {
    defer { phaseWaiters = [] }
    return phaseWaiters
  }
}
