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
    let wait = StepIdentity.wait("time \(time.nanosecondsSinceEpoch)")
    while true {
      try await driver.throwKeptCancellation(of: wait)
      let rest = time - ledger.now
      guard rest > .zero else { return }
      try await driver.wait(
        WorkWish(time: time, isShort: rest < WorkWish.shortest), orCancelledAs: wait)
    }
  }

  /// Waits for some time, counted from the first attempt that reached this call.
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
    let end = ledger.now + duration
    switch try driver.begin(name, key: key) {
    case .finished(let step): try await sleep(until: try await driver.end(ofPause: step))
    case .cancelled(let step): throw try await driver.cancel(step)
    case .new(let step):
      do {
        defer { driver.flow.end(step) }
        try await driver.takeUp()
        try await driver.keep(endOfPause: end, as: step)
      }
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
  /// Every attempt comes to the same result: an outcome counts if the promise was settled before `time`.
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
    let wait = StepIdentity.wait("promise \(promise.id)\(until)")
    while true {
      try await driver.throwKeptCancellation(of: wait)
      // The clock is read first: what is settled after the look is settled after the time.
      let now = ledger.now
      var entity = try await driver.awaited(promise.id)
      if let time, now >= time, entity.status == .pending {
        // A commit that began before the time may not have ended.
        entity = try await driver.lookAt(promise.id)
        if entity.status == .pending { return nil }
      }
      if let settledAt = entity.settlementTime {
        // Perhaps it is cancelled only because the work was, which the code must learn first.
        if try await driver.wasCancelled(before: entity) { throw try await driver.cancel(wait) }
        // Children are kept without that.
        if entity.parent != driver.id { driver.flow.note(awaited: entity.id) }
        return time.map { settledAt < $0 } ?? true ? entity : nil
      }
      try await driver.wait(
        WorkWish(
          time: time, promises: [promise.id],
          isShort: time.map { $0 - now < WorkWish.shortest } ?? false), orCancelledAs: wait)
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

extension StepIdentity {
  /// The identity under which it is kept that the code learned of a cancellation at a wait. Its name is empty, so
  /// that no step has it.
  fileprivate static func wait(_ key: String) -> StepIdentity { StepIdentity("", .key(key)) }
}

extension WorkDriver {
  /// Throws if an earlier attempt learned of a cancellation at a wait.
  func throwKeptCancellation(of wait: StepIdentity) async throws {
    guard let step = try flow.cancellation(of: wait) else { return }
    throw StepFailure(wait, .cancelled(reason: try await reason(step)))
  }

  /// Waits as wished; throws if the work is cancelled.
  ///
  /// - Parameter identity: The identity of the wait, under which the cancellation is kept.
  func wait(_ wish: WorkWish, orCancelledAs identity: StepIdentity) async throws {
    if try flow.takeCancellation() { throw try await cancel(identity) }
    if try await wait(wish) { throw try await cancel(identity) }
  }

  /// The end of a pause that is kept; throws if the work was cancelled instead.
  func end(ofPause step: WorkStep) async throws -> Timestamp {
    if step.outcome == .cancelled {
      throw StepFailure(step.identity, .cancelled(reason: try await reason(step)))
    }
    let stored = try await result(of: step)
    guard stored.typeTag == WorkStepFinished.pauseTypeTag,
      let end = WorkStepFinished.endOfPause(stored.bytes)
    else {
      throw park(
        StepMisuse.otherType(
          step.identity, recorded: stored.typeTag, expected: WorkStepFinished.pauseTypeTag))
    }
    return end
  }

  /// Keeps the end of a pause.
  func keep(endOfPause end: Timestamp, as step: StepIdentity) async throws {
    let now = ledger.now
    let bytes = WorkStepFinished.encoded(endOfPause: end)
    _ = try await record { attempt in
      FinishStep(
        id: id, attempt: attempt, step: step,
        result: .returned(typeTag: WorkStepFinished.pauseTypeTag, bytes: bytes), startedAt: now)
    }
  }

  /// Whether the work was cancelled before an awaited promise was settled, and the code does not know.
  func wasCancelled(before promise: PromiseEntity) async throws -> Bool {
    let id = id
    let request = try await ledger.patiently("the state of work cannot be read yet") {
      try await ledger.engine.read { try $0.promise(id)?.progress?.cancelRequest }
    }
    guard let request, request.fact.position < promise.lastPosition else { return false }
    flow.noteCancelRequest()
    return try flow.takeCancellation()
  }

  /// An awaited promise as it is after every commit that has begun.
  func lookAt(_ promise: PromiseID) async throws -> PromiseEntity {
    guard let entity = try await submit(LookAtPromise(id: promise)).entity else {
      throw park(
        LedgerError(.notFound, "\(name): promise \(promise), which it awaits, is missing."))
    }
    return entity
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
