extension DurableHandler {
  /// Calls the handler: runs its code with the bound arguments and those given here.
  ///
  /// A given argument takes precedence over a bound one with the same name. An argument without a value
  /// erases nothing; use ``HandlerArguments/erasing(_:)-(String...)`` for that, which applies to this call
  /// only. Names that are not parameters are ignored.
  ///
  /// Everything that can fail before the code runs is checked before the call begins. If a check fails,
  /// nothing has happened, and you can call the handler again. If the code throws, the failure is recorded,
  /// and none of the changes that the code requested are made; a one-shot handler is then finished, and its
  /// promise is rejected as ``LedgerHandler/onFailure`` specifies. If the task is cancelled and the code
  /// therefore throws `CancellationError`, the call is given back, and can run again.
  ///
  /// If a one-shot handler has an unfinished call, because its process died, froze or gave it back, this
  /// method takes that call over: it runs the next attempt with the arguments of the first, and ignores those
  /// given here. So the repeated delivery of an answer runs the handler again. A call that a live session
  /// runs is left to that session: this method throws `handlerRunning`.
  ///
  /// Calls and invalidations that are effects of the code run before this method returns. Their failures are
  /// recorded and logged, but not thrown here.
  ///
  /// - Parameters:
  ///   - arguments: The arguments of the call.
  ///   - live: An object from which the kind's context is made, and which is never stored; see
  ///     ``HandlerRegistry/register(_:with:context:)``.
  /// - Returns: The return value of the code, and the verdicts on its effects, once everything is durable.
  /// - Throws: Any error that the code throws; ``LedgerError`` with `handlerNotFound`, `recordRemoved` if it
  ///   has a key and its record was removed, `handlerUnregistered`, `handlerFinished`, `handlerInvalidated`,
  ///   `handlerRunning`, `handlerRecursion`, `argumentMissing`, `argumentMismatch`, `decodingFailed`,
  ///   `encodingFailed`, `instanceNotFound`, `superseded`, `requiredEffectRefused`, `payloadTooLarge`,
  ///   `ledgerFull`, `diskFull`, `writerStalled`, `typeMismatch` if the kind takes no such object; any error
  ///   that the context throws; `CancellationError`.
  @discardableResult
  public func call(
    _ arguments: HandlerArguments = [:], with live: (any Sendable)? = nil
  ) async throws -> HandlerResult {
    try await HandlerRunner(ledger: try ledger, live: LiveObject(live)).call(id, arguments)
  }

  /// Calls the handler, and returns the result of its code.
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

  /// Calls the handler with arguments typed by its `Binding`, and returns the result of its code.
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

  /// Withdraws the handler permanently: it can then be neither called nor rebound.
  ///
  /// The handler is marked first, and then its invalidation code runs. That code has its own parameters,
  /// filled by name from the bound arguments and those given here. A handler without such code is only
  /// marked, and so is one whose kind this session does not know; its code then never runs. A running call
  /// may finish; one that was given back never runs again.
  ///
  /// A missing or mistyped argument of the invalidation code is detected beforehand, and leaves the handler
  /// as it is. If the app cannot supply the context, the handler is withdrawn, and the run of its
  /// invalidation code is given back, and can run again like other unfinished calls.
  ///
  /// - Parameters:
  ///   - arguments: Arguments for the invalidation code.
  ///   - reason: The reason, at most 2,048 bytes of UTF-8.
  ///   - live: An object from which the kind's context is made, as for ``call(_:with:)``.
  /// - Throws: Any error that the invalidation code throws, after the handler was withdrawn; otherwise as
  ///   ``call(_:with:)``.
  public func invalidate(
    _ arguments: HandlerArguments = [:], reason: String = "", with live: (any Sendable)? = nil
  ) async throws {
    let runner = HandlerRunner(ledger: try ledger, live: LiveObject(live))
    if let refusal = try await runner.withdraw(id, arguments, reason: reason) { throw refusal }
  }
}
