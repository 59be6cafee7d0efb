extension DurablePromise {
  /// Gives the promise a value.
  ///
  /// The first resolution of a promise wins, across all processes.
  ///
  /// Handler code resolves the promises among its arguments with ``LedgerCall/fulfill(_:_:required:)``; here
  /// it gets `invalidArgument`.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - idempotencyKey: A key that identifies repetitions of this request.
  ///   - strict: Whether a repetition counts as one only if its outcome is the same.
  /// - Returns: The result of the request, once it is durable.
  /// - Throws: ``LedgerError`` with `encodingFailed`, `payloadTooLarge`, `typeMismatch` if the
  ///   promise has another type, `recordRemoved` if it has a key and its record was removed,
  ///   `invalidArgument`, `ledgerFull`, `diskFull`, `writerStalled`.
  @discardableResult
  public func fulfill(
    _ value: Value, idempotencyKey: IdempotencyKey? = nil, strict: Bool = true
  ) async throws -> PromiseResolution {
    try await resolve(with: .fulfilled(value), idempotencyKey: idempotencyKey, strict: strict)
  }

  /// Rejects the promise with an error, which is stored as data; see ``StoredError/init(_:)``.
  ///
  /// - Returns: The result of the request, once it is durable.
  /// - Throws: As ``fulfill(_:idempotencyKey:strict:)``.
  @discardableResult
  public func reject(
    _ error: any Error, idempotencyKey: IdempotencyKey? = nil, strict: Bool = true
  ) async throws -> PromiseResolution {
    try await resolve(
      with: .rejected(StoredError(error)), idempotencyKey: idempotencyKey, strict: strict)
  }

  /// Cancels the promise.
  ///
  /// - Parameters:
  ///   - reason: The reason, at most 2,048 bytes of UTF-8.
  ///   - idempotencyKey: A key that identifies repetitions of this request.
  ///   - strict: Whether a repetition counts as one only if its outcome is the same.
  /// - Returns: The result of the request, once it is durable.
  /// - Throws: As ``fulfill(_:idempotencyKey:strict:)``.
  @discardableResult
  public func cancel(
    reason: String = "", idempotencyKey: IdempotencyKey? = nil, strict: Bool = true
  ) async throws -> PromiseResolution {
    try await resolve(
      with: .cancelled(reason: reason), idempotencyKey: idempotencyKey, strict: strict)
  }

  /// Gives the promise an outcome.
  ///
  /// - Returns: The result of the request, once it is durable.
  /// - Throws: As ``fulfill(_:idempotencyKey:strict:)``, and `invalidArgument` for ``PromiseOutcome/timedOut``:
  ///   only a deadline times a promise out.
  @discardableResult
  public func resolve(
    with outcome: PromiseOutcome<Value>, idempotencyKey: IdempotencyKey? = nil, strict: Bool = true
  ) async throws -> PromiseResolution {
    let ledger = try ledger
    let stored = try outcome.map { (value) throws(LedgerError) in try encode(value) }
    return try await ledger.resolve(
      id, with: stored, formerTypeTags: codec.formerTypeTags, idempotencyKey: idempotencyKey,
      strict: strict)
  }

  /// Gives up the promise permanently: it can no longer be resolved or consumed.
  ///
  /// - Parameter reason: The reason, at most 2,048 bytes of UTF-8.
  /// - Returns: The result of the request, once it is durable.
  /// - Throws: ``LedgerError`` with `invalidArgument`, `recordRemoved` if it has a key and its record was
  ///   removed, `writerStalled`, `diskFull`.
  @discardableResult
  public func abandon(reason: String) async throws -> PromiseAbandonment {
    try await ledger.abandon(id, reason: reason)
  }

  func encode(_ value: Value) throws(LedgerError) -> StoredValue {
    do {
      return StoredValue(typeTag: codec.typeTag, bytes: try codec.encode(value))
    } catch {
      throw LedgerError(
        .encodingFailed, "The value for promise \(id) cannot be encoded.", cause: error)
    }
  }
}
