extension DurablePromise {
  /// Waits for the outcome, consumes it, and returns the value.
  ///
  /// An outcome that needs no consumption (``PromiseCreated/Lifetime/untilSettled``) is returned in every
  /// role, any number of times, and nothing is recorded.
  ///
  /// The consumption is durable before the value is returned, so the app receives it at most once: if it dies
  /// in between, the outcome counts as delivered. Use ``consume(_:)`` where that is not enough. Every waiting
  /// task of this session receives the outcome. Cancelling the task ends the wait and leaves the promise
  /// unchanged.
  ///
  /// - Throws: ``PromiseFailure`` if the outcome of the promise is not a value; ``LedgerError`` with
  ///   `roleMayNotConsume` in any role other than `app`, `alreadyConsumed` if another session consumed it,
  ///   `promiseAbandoned`, `notFound`, and `typeMismatch` or `decodingFailed` if the value is not a `Value`
  ///   (it then stays unconsumed); `CancellationError`.
  public func consume() async throws -> Value {
    let ledger = try ledger
    try ledger.engine.beginUse(of: id)
    defer { ledger.engine.endUse(of: id) }
    try await ledger.requireConsumer(of: id)
    let outcome = try await outcome
    try ledger.requireConsumed(
      try await ledger.engine.submit(ConsumePromise(id: id, delivery: .recordedBefore)), id)
    return try outcome.get()
  }

  /// Waits for the outcome, runs `body` with it, and then consumes it.
  ///
  /// `body` runs at least once: if it throws or the process dies before the consumption is durable, the
  /// promise stays resolved and is offered again. Once the consumption is durable, the `body` of a later call
  /// does not run, not even in the session that consumed the promise.
  ///
  /// - Throws: Any error that `body` throws; otherwise as ``consume()``, but never ``PromiseFailure``,
  ///   because `body` receives every outcome; and `alreadyConsumed` even if this session consumed it.
  public func consume<Result: Sendable>(
    _ body: (PromiseOutcome<Value>) async throws -> Result
  ) async throws -> Result {
    let ledger = try ledger
    try ledger.engine.beginUse(of: id)
    defer { ledger.engine.endUse(of: id) }
    try await ledger.requireConsumer(of: id)
    let entity = try await ledger.engine.settled(id)
    try ledger.requireConsumable(entity)
    let result = try await body(try await decodeOutcome(of: entity))
    try ledger.requireConsumed(
      try await ledger.engine.submit(ConsumePromise(id: id, delivery: .recordedAfter)), id)
    return result
  }

  /// Waits for the outcome without consuming it, in any role.
  ///
  /// - Throws: ``LedgerError`` with `promiseAbandoned`, `notFound`, `typeMismatch` or
  ///   `decodingFailed`; `CancellationError`.
  public var outcome: PromiseOutcome<Value> {
    get async throws {
      try await decodeOutcome(of: try await ledger.engine.settled(id))
    }
  }

  /// The current record of the promise, or `nil` if there is no such promise.
  public var record: PromiseRecord? {
    get async throws { try await ledger.record(of: id) }
  }

  func decodeOutcome(of entity: PromiseEntity) async throws -> PromiseOutcome<Value> {
    let ledger = try ledger
    guard let stored = try await ledger.records.outcome(of: entity) else {
      throw LedgerError.promiseAbandoned(entity)
    }
    if entity.status == .abandoned { throw LedgerError.promiseAbandoned(entity) }
    return try stored.map { (value) throws(LedgerError) in try decode(value, of: entity) }
  }

  private func decode(_ value: StoredValue, of entity: PromiseEntity) throws(LedgerError) -> Value {
    guard codec.reads(value.typeTag) else {
      throw LedgerError(
        .typeMismatch,
        "\(entity.name) has a value of the type \(value.typeTag), not \(codec.typeTag). Use the type that the promise was created with."
      )
    }
    do {
      return try codec.decode(value.bytes)
    } catch {
      throw LedgerError(
        .decodingFailed,
        "\(entity.name) has a value that cannot be decoded as \(Value.self). The value stays in the ledger; decode it with a build that knows its format.",
        cause: error)
    }
  }
}

extension Ledger {
  /// Rejects early, before the promise is settled, roles that may not consume it.
  func requireConsumer(of id: PromiseID) async throws {
    guard role != .app else { return }
    let needsConsumption = try await engine.read { try $0.promise(id)?.endsWhenSettled != true }
    if needsConsumption { try role.requireConsumer(of: id) }
  }

  /// Rejects early, before the app's code runs, any consumption that the ledger would reject afterwards.
  fileprivate func requireConsumable(_ entity: PromiseEntity) throws(LedgerError) {
    if entity.status == .consumed { throw .alreadyConsumed(entity, asking: session) }
  }

  func requireConsumed(
    _ answer: ConsumePromise.Answer, _ id: PromiseID
  ) throws(LedgerError) {
    switch answer {
    case .consumed: return
    case .alreadyConsumed(let entity): throw .alreadyConsumed(entity, asking: session)
    case .abandoned(let entity): throw .promiseAbandoned(entity)
    case .notFound: throw .notFound(id)
    case .pending, .notTaken:
      throw LedgerError(
        .internalInconsistency, "Promise \(id) is pending after it was seen settled.")
    }
  }
}

extension LedgerError {
  fileprivate static func alreadyConsumed(
    _ entity: PromiseEntity, asking session: SessionID
  ) -> LedgerError {
    let by = entity.closing.map {
      " by \($0.fact.session == session ? "this session" : "session \($0.fact.session)") at \($0.fact.time)"
    }
    return LedgerError(
      .alreadyConsumed,
      "\(entity.name) was consumed\(by ?? ""). Read its outcome without consuming it.")
  }

  fileprivate static func promiseAbandoned(_ entity: PromiseEntity) -> LedgerError {
    LedgerError(
      .promiseAbandoned, "\(entity.name) was abandoned and will never have an outcome.")
  }
}
