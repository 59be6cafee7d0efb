extension Ledger {
  /// Creates promises and handlers in one commit: all of them or none.
  ///
  /// If the process dies, no promise is left without the handler that settles it, and no handler without its
  /// promise.
  ///
  /// ```swift
  /// let promise = try await ledger.batch { batch in
  ///   let promise = try batch.createPromise(of: Void.self)
  ///   try batch.createHandler(AvatarRemoved.self, ["promise": promise], key: HandlerKey(request))
  ///   return promise
  /// }
  /// ```
  ///
  /// A promise or handler whose key already exists is found and left unchanged, so a batch in which
  /// everything has a key can be repeated. An existing handler must be bound to all promises that the batch
  /// binds to it, because it would never settle others. Otherwise nothing is created.
  ///
  /// - Parameter body: Adds promises and handlers to the batch. Nothing is written before it returns, and
  ///   nothing at all if it throws.
  /// - Returns: The result of `body`, once everything is durable.
  /// - Throws: Any error that `body` throws; ``LedgerError`` with `conflict` if a promise with a key was
  ///   created by another request, or a handler with a key is not bound to the promises; `recordRemoved` if a
  ///   record with a key was removed, `ledgerFull`, `diskFull`, `writerStalled`; `CancellationError`.
  public func batch<Answer: Sendable>(
    _ body: (inout LedgerBatch) async throws -> Answer
  ) async throws -> Answer {
    var batch = LedgerBatch(in: self)
    let answer = try await body(&batch)
    if !batch.parts.isEmpty { try await engine.submit(CreateTogether(batch.parts)) }
    return answer
  }
}
