import Logging

/// One step of work: finds its result, or runs its body until it has one.
struct StepRun<Value: Sendable>: Sendable {
  let driver: WorkDriver
  let policy: WorkRetryPolicy
  let ignoresCancellation: Bool
  let codec: PayloadCodec<Value>
  let body: @Sendable (CalledStep, EffectCollector) async throws -> Value

  private var flow: WorkFlow { driver.flow }
  private var ledger: Ledger { driver.ledger }

  /// What a run of the body came to.
  private enum Run {
    case returned(Value)
    case cancelled
    case failed(StoredError, isFinal: Bool)
  }

  func callAsFunction(
    _ name: String, key: String?, formerly former: [String]
  ) async throws -> Value {
    let begun = try driver.begin(
      name, key: key, formerly: former, ignoresCancellation: ignoresCancellation)
    switch begun {
    case .finished(let step): return try await value(of: step)
    case .cancelled(let step): throw try await driver.cancel(step)
    case .new(let step):
      defer {
        flow.end(step)
        driver.suspendIfAllWaits()
      }
      return try await run(step, StepIdentity(former.last ?? name, step.distinction))
    }
  }

  // MARK: Finished before

  private func value(of step: WorkStep) async throws -> Value {
    switch step.outcome {
    case .value: return try await decode(step)
    case .failure:
      let error = try StoredError(decoding: try await driver.result(of: step).bytes)
      throw StepFailure(step.identity, .failed(error))
    case .cancelled:
      throw StepFailure(step.identity, .cancelled(reason: try await driver.reason(step)))
    }
  }

  private func decode(_ step: WorkStep) async throws -> Value {
    let stored = try await driver.result(of: step)
    guard codec.reads(stored.typeTag) else {
      throw driver.park(
        StepMisuse.otherType(step.identity, recorded: stored.typeTag, expected: codec.typeTag))
    }
    do {
      return try codec.decode(stored.bytes)
    } catch {
      throw driver.park(
        LedgerError(
          .decodingFailed,
          "\(driver.name): the value of step \(step.identity) cannot be decoded as \(Value.self). It stays in the ledger; run the work with a build that knows its format.",
          cause: error))
    }
  }

  // MARK: Running

  /// - Parameter oldest: The identity of the step under its oldest name.
  private func run(_ step: StepIdentity, _ oldest: StepIdentity) async throws -> Value {
    /// The failures since the last that was recorded.
    var failureCount: UInt32 = 0
    var recorded = flow.failureCount(of: step)
    while true {
      try await driver.takeUp()
      if flow.failureCount(of: step) != recorded {
        recorded = flow.failureCount(of: step)
        failureCount = 0
      }
      if !ignoresCancellation, try flow.takeCancellation() { throw try await driver.cancel(step) }
      let startedAt = ledger.now
      let number = recorded.addingClamped(failureCount).addingClamped(1)
      let called = CalledStep(
        promise: driver.id, identity: step, oldest: oldest, number: number)
      switch try await attempt(called, failureCount, startedAt) {
      case .returned(let value): return value
      case .cancelled: throw try await driver.cancel(step)
      case .failed(let error, let isFinal):
        failureCount = failureCount.addingClamped(1)
        guard let delay = isFinal ? nil : try delay(after: number, error) else {
          let count = failureCount
          _ = try await driver.record { attempt in
            FinishStep(
              id: driver.id, attempt: attempt, step: step, result: .failed(error),
              failureCount: count, startedAt: startedAt)
          }
          throw StepFailure(step, .failed(error))
        }
        ledger.configuration.logger.warning(
          "a step failed and is tried again",
          metadata: [
            "promise": "\(driver.id)", "step": "\(step)", "error": "\(error)", "in": "\(delay)",
          ])
        let isCancelled = try await wait(
          until: ledger.now + delay, .init(step, count: failureCount), error, after: recorded)
        if isCancelled { throw try await driver.cancel(step) }
      }
    }
  }

  /// Waits for the next try. Whatever lets other parts of the code go on wakes this one, too.
  ///
  /// - Parameter recorded: The failures that are recorded without these.
  /// - Returns: Whether the work was cancelled.
  private func wait(
    until time: Timestamp, _ failures: WorkReleased.StepFailures, _ error: StoredError,
    after recorded: UInt32
  ) async throws -> Bool {
    while case let rest = time - ledger.now, rest > .zero {
      // They are recorded when the work is given back for the first time.
      let isNew = flow.failureCount(of: failures.step) == recorded
      let isCancelled = try await driver.wait(
        WorkWish(
          time: time, failures: isNew ? (failures, error) : nil,
          isShort: rest < WorkWish.shortest),
        of: failures.step)
      if isCancelled { return true }
    }
    return false
  }

  /// The delay before the next run of the body; `nil` if there is none.
  ///
  /// - Throws: ``WorkSuspended`` if an operator must decide.
  private func delay(after failureCount: UInt32, _ error: StoredError) throws -> Duration? {
    if let limit = policy.failureLimit, Int(failureCount) >= limit {
      guard policy.givingUp == .park else { return nil }
      throw driver.park(error)
    }
    return policy.delay(after: UInt64(failureCount), of: driver.id)
  }

  /// Runs the body once, and keeps its value.
  private func attempt(
    _ called: CalledStep, _ failureCount: UInt32, _ startedAt: Timestamp
  ) async throws -> Run {
    let step = called.identity
    let effects = EffectCollector(of: driver.name, .step(step), in: ledger)
    defer { _ = effects.end() }
    let value: Value
    do {
      value = try await runBody(called, effects)
    } catch {
      return try run(after: error, step)
    }
    let stored: StoredValue
    do {
      stored = try ledger.checkedOutput(value, codec, of: "\(driver.name), step \(step)")
    } catch {
      // The body did its work, so running it again does not help.
      return .failed(StoredError(error), isFinal: true)
    }
    do {
      try await keep(
        stored, of: step, failureCount: failureCount, startedAt, effects: effects.end())
      return .returned(value)
    } catch let error as RefusedEffect {
      return .failed(error.error, isFinal: false)
    }
  }

  private func run(after error: any Error, _ step: StepIdentity) throws -> Run {
    if error is WorkSuspended { throw error }
    if flow.wasCancelled(step) { return .cancelled }
    let isFinal = error is Permanent || error is StepFailure || error is PromiseFailure
    // That the attempt took too long, or the runner stops, is no failure of the step.
    if !isFinal { try flow.requireTime() }
    // The code around the step gave it up.
    if error.isCancellation, Task.isCancelled { throw error }
    let limit = ledger.configuration.maximumPayloadSizeInBytes
    return .failed(StoredError(error).limited(toByteCount: limit), isFinal: isFinal)
  }

  private func runBody(
    _ called: CalledStep, _ effects: EffectCollector
  ) async throws -> Value {
    let code = RunningCode.waiting + [effects.code(with: driver.called.promises)]
    let task = Task {
      try await RunningCode.$current.withValue(code) { try await body(called, effects) }
    }
    if flow.setBody(of: called.identity, cancel: { task.cancel() }) { task.cancel() }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func keep(
    _ value: StoredValue, of step: StepIdentity, failureCount: UInt32, _ startedAt: Timestamp,
    effects: [HandlerEffect]
  ) async throws {
    let handlers = HandlerRunner(ledger: ledger)
    let checked = try await ledger.patiently("the effects of a step cannot be checked yet") {
      try await handlers.checked(effects)
    }
    _ = try await driver.record { attempt in
      FinishStep(
        id: driver.id, attempt: attempt, step: step,
        result: .returned(typeTag: value.typeTag, bytes: value.bytes), failureCount: failureCount,
        startedAt: startedAt, effects: checked)
    }
  }
}

extension WorkDriver {
  /// Begins a step, or finds its result. A misuse parks the work.
  func begin(
    _ name: String, key: String?, formerly former: [String] = [],
    isToldOfCancellation: Bool = true, ignoresCancellation: Bool = false
  ) throws -> WorkFlow.Begun {
    do {
      for name in [name] + former { try TextLimit.stepName.check(name) }
      if let key { try TextLimit.stepKey.check(key) }
      return try flow.begin(
        name, key: key, formerly: former, isToldOfCancellation: isToldOfCancellation,
        ignoresCancellation: ignoresCancellation)
    } catch let error as WorkSuspended {
      throw error
    } catch {
      throw park(error)
    }
  }
}

extension WorkWish {
  /// The shortest wait for which a process gives work back.
  static let shortest = Duration.seconds(1)
}

extension UInt32 {
  fileprivate func addingClamped(_ other: UInt32) -> UInt32 {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? .max : sum
  }
}
