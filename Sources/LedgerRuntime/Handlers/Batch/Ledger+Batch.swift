extension Ledger {
  /// Creates promises and handlers in one commit: all of them, or none.
  ///
  /// A process that dies in between then leaves no promise without the handler that settles it, nor a
  /// handler without its promise.
  ///
  /// ```swift
  /// let promise = try await ledger.batch { batch in
  ///   let promise = try batch.createPromise(of: Void.self)
  ///   try batch.createHandler(AvatarRemoved.self, ["promise": promise], key: HandlerKey(request))
  ///   return promise
  /// }
  /// ```
  ///
  /// A promise or handler with a key that exists is found, and nothing of it is changed, so a batch whose
  /// creations all have keys can be repeated. A handler that exists must be bound to all promises that
  /// the batch binds to it: it would never settle another. Otherwise nothing is created.
  ///
  /// - Parameter body: Says what is created; nothing is written before it returns, and nothing at all if
  ///   it throws.
  /// - Returns: What `body` returns, once all is durable.
  /// - Throws: What `body` throws; ``LedgerError`` with `conflict` if a promise with a key was created by
  ///   another request, or a handler with a key is not bound to the promises; `compacted` if a record
  ///   with a key was removed, `ledgerFull`, `diskFull`, `writerStalled`; `CancellationError`.
  public func batch<Answer: Sendable>(
    _ body: (inout LedgerBatch) async throws -> Answer
  ) async throws -> Answer {
    var batch = LedgerBatch(in: self)
    let answer = try await body(&batch)
    if !batch.parts.isEmpty { try await engine.submit(CreateTogether(batch.parts)) }
    return answer
  }
}
