extension DurableHandler {
  /// Calls the handler: runs its code with what is bound and what is given here.
  ///
  /// For each name counts what is given here, else what is bound. An argument without a value erases
  /// nothing; ``HandlerArguments/erasing(_:)-(String...)`` does, for this call. Further names are
  /// ignored.
  ///
  /// Everything that can fail before the code runs is checked before the call begins: if it fails
  /// so, nothing happened, and the handler can be called again. If the code throws, the failure is
  /// recorded, and nothing that the code asked of the ledger is done; a one-shot handler is then
  /// spent, and its promise is rejected, as ``LedgerHandler/onFailure`` says. If the task is cancelled
  /// and the code therefore throws `CancellationError`, the call is given back, to be run again.
  ///
  /// A call of a one-shot handler that began and was left, by a process that died, froze or gave it
  /// back, is taken over: its next attempt runs, with the arguments of the first, and those given here
  /// are ignored. So an answer that is delivered again has the handler run again. A call that a live
  /// session runs is left to it: `handlerRunning`.
  ///
  /// Calls and invalidations that are effects of the code are run before this returns. Their
  /// failures are recorded and logged, and not thrown here.
  ///
  /// - Parameters:
  ///   - arguments: What is given.
  ///   - live: An object that the kind's context is made of, and that is never stored; see
  ///     ``HandlerRegistry/register(_:with:context:)``.
  /// - Returns: What the code returned, and what became of its effects, once that is durable.
  /// - Throws: What the code throws; ``LedgerError`` with `handlerNotFound`, `compacted` if it has a key
  ///   and its record was removed, `handlerUnregistered`, `handlerFinished`, `handlerInvalidated`,
  ///   `handlerRunning`, `handlerRecursion`, `argumentMissing`, `argumentMismatch`,
  ///   `decodingFailed`, `encodingFailed`, `instanceNotFound`, `superseded`,
  ///   `requiredEffectRefused`, `payloadTooLarge`, `ledgerFull`, `diskFull`, `writerStalled`,
  ///   `typeMismatch` if the kind takes no such object; what the context throws; `CancellationError`.
  @discardableResult
  public func call(
    _ arguments: HandlerArguments = [:], with live: (any Sendable)? = nil
  ) async throws -> HandlerResult {
    try await HandlerRunner(ledger: try ledger, live: LiveObject(live)).call(id, arguments)
  }

  /// Calls the handler, and returns what its code returned.
  ///
  /// - Throws: As ``call(_:with:)``, and `typeMismatch`, before the call begins, if the handler is of
  ///   another kind.
  @discardableResult
  public func call<Handler: LedgerHandler>(
    as type: Handler.Type, _ arguments: HandlerArguments = [:], with live: (any Sendable)? = nil
  ) async throws -> Handler.Output {
    let runner = HandlerRunner(ledger: try ledger, live: LiveObject(live))
    return try await runner.call(id, arguments, as: type).value()
  }

  /// Calls the handler with arguments that its `Binding` gives types to, and returns what its code
  /// returned.
  ///
  /// The members of `binding` that have a value are given, and stand before what is bound.
  ///
  /// - Throws: As ``call(as:_:with:)``.
  @discardableResult
  public func call<Handler: LedgerHandler>(
    as type: Handler.Type, binding: Handler.Binding, with live: (any Sendable)? = nil
  ) async throws -> Handler.Output {
    try await call(as: type, HandlerArguments(encoding: binding), with: live)
  }

  /// Withdraws the handler for ever: it can then be neither called nor rebound.
  ///
  /// The handler is marked first, and then its invalidation code runs, with its own parameters,
  /// filled by name from what is bound and what is given here. A handler without such code is
  /// marked, and so is one whose kind this session does not know; its code then never runs. A call
  /// that runs may finish; one that was given back is never run again.
  ///
  /// A missing or mistyped argument of the invalidation code is noticed before, and leaves the handler
  /// as it is. If the app cannot supply the context, the handler is withdrawn, and the run of its
  /// invalidation code is given back, to be run again as other unfinished calls are.
  ///
  /// - Parameters:
  ///   - arguments: What is given to the invalidation code.
  ///   - reason: At most 2,048 bytes of UTF-8.
  ///   - live: An object that the kind's context is made of, as for ``call(_:with:)``.
  /// - Throws: What the invalidation code throws, after the handler was withdrawn; otherwise as
  ///   ``call(_:with:)``.
  public func invalidate(
    _ arguments: HandlerArguments = [:], reason: String = "", with live: (any Sendable)? = nil
  ) async throws {
    let runner = HandlerRunner(ledger: try ledger, live: LiveObject(live))
    if let refusal = try await runner.withdraw(id, arguments, reason: reason) { throw refusal }
  }
}
