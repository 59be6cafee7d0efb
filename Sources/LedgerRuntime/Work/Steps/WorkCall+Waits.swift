import LedgerBytes
import Logging

extension LedgerCall where Subject == CalledWork {
  /// Waits for a time.
  ///
  /// If all of the work's code waits, for longer than a second, the work is given back, and no process is needed
  /// until one of the waits ends.
  ///
  /// - Throws: ``StepFailure`` if the work was cancelled; ``WorkSuspended``; `CancellationError`.
  public func sleep(until time: Timestamp) async throws {
    let driver = driver
    let wait = StepIdentity("sleep", .key("\(time.nanosecondsSinceEpoch)"))
    while true {
      try await driver.beginWait(wait)
      let rest = time - ledger.decisionTime
      guard rest > .zero else { return }
      try await driver.wait(WorkWish(time: time, isShort: rest < WorkWish.shortest))
    }
  }

  /// Waits for some time, counted from the first attempt that came here.
  ///
  /// - Parameters:
  ///   - duration: The time to wait.
  ///   - name: The name of the pause among the steps of the work.
  ///   - key: A text that distinguishes pauses of one name.
  /// - Throws: As ``sleep(until:)``.
  public func sleep(
    for duration: Duration, name: String = "sleep", key: String? = nil
  ) async throws {
    let driver = driver
    let end = ledger.decisionTime + duration
    switch try driver.begin(name, key: key) {
    case .finished(let step): try await sleep(until: try await driver.end(ofPause: step))
    case .cancelled(let step): throw try await driver.cancel(step)
    case .new(let step):
      defer {
        driver.flow.end(step)
        driver.suspendIfAllWaits()
      }
      if duration >= WorkWish.shortest, driver.flow.runsOthers(than: step) {
        // The work is not given back soon, and its process may die.
        try await driver.keep(SuspendWork.Pause(step, until: end))
        return try await sleep(until: end)
      }
      try await driver.pause(step, until: end, isShort: duration < WorkWish.shortest)
      try await sleep(until: end)
    }
  }

  /// Waits until a promise has a value.
  ///
  /// The outcome is read, not consumed. If all of the work's code waits, the work is given back, and no process is
  /// needed until one of the waits ends.
  ///
  /// - Returns: The value.
  /// - Throws: ``PromiseFailure`` if the promise has no value, and will have none: code that ends with it is not
  ///   run again. ``LedgerError`` with `promiseAbandoned`; `invalidArgument` for the promise of the work itself, or
  ///   one of another ledger. ``StepFailure`` if the work was cancelled; ``WorkSuspended``; `CancellationError`.
  public func value<Value: Sendable>(
    of promise: DurablePromise<Value>
  ) async throws -> Value {
    try await outcome(of: promise).get()
  }

  /// Waits until a promise is settled.
  ///
  /// - Throws: As ``value(of:)``, but never ``PromiseFailure``.
  public func outcome<Value: Sendable>(
    of promise: DurablePromise<Value>
  ) async throws -> PromiseOutcome<Value> {
    guard let entity = try await settled(promise, until: nil) else { throw WorkSuspended() }
    return try await promise.decodeOutcome(of: entity)
  }

  /// Waits until a promise is settled, but not longer than up to a time.
  ///
  /// Every attempt comes to the same result: an outcome counts if the promise was settled at or before `time`.
  ///
  /// - Parameters:
  ///   - promise: The promise.
  ///   - time: The time. Derive it from ``startedAt``, or from the result of a step: the current time differs
  ///     between attempts.
  /// - Returns: The outcome; `nil` if the promise was not settled by then.
  /// - Throws: As ``outcome(of:)``.
  public func outcome<Value: Sendable>(
    of promise: DurablePromise<Value>, until time: Timestamp
  ) async throws -> PromiseOutcome<Value>? {
    guard let entity = try await settled(promise, until: time) else { return nil }
    return try await promise.decodeOutcome(of: entity)
  }

  /// - Returns: `nil` if the promise was not settled at the time.
  private func settled<Value: Sendable>(
    _ promise: DurablePromise<Value>, until time: Timestamp?
  ) async throws -> PromiseEntity? {
    let driver = driver
    try driver.requireAwaitable(promise.id, in: promise.ledgerID)
    let until = time.map { " until \($0.nanosecondsSinceEpoch)" } ?? ""
    let wait = StepIdentity("wait", .key("\(promise.id)\(until)"))
    while true {
      try await driver.beginWait(wait)
      let entity = try await driver.awaited(promise.id)
      if let settledAt = entity.settlementTime {
        return time.map { settledAt <= $0 } ?? true ? entity : nil
      }
      let rest = time.map { $0 - ledger.decisionTime }
      // A promise whose own deadline came first is about to time out.
      let timesOut = entity.deadline.flatMap { own in time.map { own <= $0 } } ?? false
      if let rest, rest <= .zero, !timesOut { return nil }
      try await driver.wait(
        WorkWish(
          time: timesOut ? nil : time, promises: [promise.id],
          isShort: rest.map { $0 < WorkWish.shortest } ?? false))
    }
  }
}

extension PromiseEntity {
  /// The time at which the promise was settled or abandoned; `nil` if it is pending.
  fileprivate var settlementTime: Timestamp? {
    guard status != .pending else { return nil }
    return resolution?.resolvedAt ?? closing?.fact.time
  }
}

extension WorkDriver {
  /// Begins or continues a wait; throws if the work was cancelled.
  func beginWait(_ wait: StepIdentity) async throws {
    switch try flow.beginWait(wait) {
    case .new: return
    case .cancelled(let step): throw try await cancel(step)
    case .finished(let step):
      throw StepFailure(wait, .cancelled(reason: try await reason(step)))
    }
  }

  /// The end of a pause that is kept; throws if the work was cancelled instead.
  func end(ofPause step: WorkStep) async throws -> Timestamp {
    guard step.outcome == .value else {
      throw StepFailure(step.identity, .cancelled(reason: try await reason(step)))
    }
    let stored = try await result(of: step)
    guard stored.typeTag == SuspendWork.Pause.typeTag, stored.bytes.count == 8 else {
      throw park(
        StepMisuse.otherType(
          step.identity, recorded: stored.typeTag, expected: SuspendWork.Pause.typeTag))
    }
    return Timestamp(nanosecondsSinceEpoch: stored.bytes.span.loadLittleEndian(at: 0))
  }

  /// Keeps the end of a pause at once.
  func keep(_ pause: SuspendWork.Pause) async throws {
    _ = try await record(
      FinishStep(
        id: id, attempt: flow.attempt, step: pause.step,
        result: .returned(typeTag: SuspendWork.Pause.typeTag, bytes: pause.bytes),
        startedAt: ledger.decisionTime))
  }

  /// Waits for a time, at most until its end is kept because the work is given back.
  func pause(_ step: StepIdentity, until end: Timestamp, isShort: Bool) async throws {
    while ledger.decisionTime < end, !flow.hasKept(pause: step) {
      let pause = isShort ? nil : SuspendWork.Pause(step, until: end)
      try await wait(WorkWish(time: end, pause: pause, isShort: isShort), of: step)
      // The work may just be given back, which keeps the pause.
      try await takeUp()
      guard !flow.hasKept(pause: step) else { return }
      if try flow.takeCancellation() { throw try await cancel(step) }
    }
  }

  func requireAwaitable(_ promise: PromiseID, in other: LedgerID?) throws(LedgerError) {
    guard other == nil || other == ledger.id else {
      throw LedgerError(
        .invalidArgument, "\(name): promise \(promise) belongs to another ledger.")
    }
    guard promise != id else {
      throw LedgerError(
        .invalidArgument,
        "\(name): the code waits for its own promise, which is settled when the code ends. Wait for another one."
      )
    }
  }

  /// An awaited promise as it is now. The work is parked if there is no such promise.
  func awaited(_ promise: PromiseID) async throws -> PromiseEntity {
    do {
      return try await ledger.patiently("an awaited promise cannot be read yet") {
        try await ledger.engine.read { state throws(LedgerError) in
          guard let entity = try state.promise(promise) else {
            throw try state.refusal(ofMissing: promise)
          }
          return entity
        }
      }
    } catch let error as LedgerError {
      guard !error.isOfEndedSession else {
        flow.end()
        throw WorkSuspended()
      }
      throw park(error)
    }
  }
}
