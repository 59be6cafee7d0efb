extension Ledger {
  /// Withdraws all handlers that now have a scope, one after another.
  ///
  /// Invalidation code may create handlers and call this method again. Handlers created in the meantime are
  /// unaffected, and each handler is withdrawn once.
  ///
  /// - Parameters:
  ///   - scope: The scope.
  ///   - arguments: Arguments for the invalidation code of each handler.
  ///   - reason: The reason, at most 2,048 bytes of UTF-8.
  ///   - live: An object from which the contexts of the kinds are made, as for
  ///     ``DurableHandler/call(_:with:)``; kinds that take no such object do not receive it.
  /// - Returns: The result for each handler.
  /// - Throws: ``LedgerError`` with `invalidArgument`, or any error from reading the ledger.
  @discardableResult
  public func invalidateAll(
    scope: String, _ arguments: HandlerArguments = [:], reason: String = "",
    with live: (any Sendable)? = nil
  ) async throws -> HandlerInvalidationReport {
    try TextLimit.scope.check(scope)
    try TextLimit.reason.check(reason)
    let ids = try await engine.read(fromCopy: true) { state in
      try state.activeHandlers(inScope: scope).map(\.id)
    }
    let runner = HandlerRunner(ledger: self, live: LiveObject(live, isOptional: true))
    var report = HandlerInvalidationReport()
    for id in ids {
      do {
        let refusal = try await runner.withdraw(id, arguments, reason: reason)
        if refusal == nil {
          report.invalidated.append(id)
        } else {
          report.closedMeanwhile.append(id)
        }
      } catch {
        report.failures[id] = error
      }
    }
    return report
  }

  // MARK: Unfinished calls

  /// The calls that have begun and no longer run anywhere, in the order in which they began.
  ///
  /// - Complexity: O(n log n) in the number of open handlers.
  public func unfinishedCalls() async throws -> [UnfinishedCall] {
    let (running, session) = (runningCalls, session)
    return try await engine.read(fromCopy: true) { state in
      try state.openCalls().filter { started in
        let isLeftHere = started.call.runningSession == session
        return (started.call.isReleased || isLeftHere) && !running.contains(started.call.id)
      }.map { UnfinishedCall($0) }
    }
  }

  /// Runs an unfinished call again, as its next attempt, with its original arguments.
  ///
  /// ``DurableHandler/call(_:with:)`` does the same for the unfinished call of a one-shot handler.
  ///
  /// - Parameters:
  ///   - call: The call.
  ///   - live: An object from which the kind's context is made, as for ``DurableHandler/call(_:with:)``.
  /// - Throws: As ``DurableHandler/call(_:with:)``: `handlerRunning` if another session took it over, or it
  ///   is still running; `superseded` if another attempt began and ended; `handlerFinished` if it ended.
  @discardableResult
  public func retry(
    _ call: UnfinishedCall, with live: (any Sendable)? = nil
  ) async throws -> HandlerResult {
    try await HandlerRunner(ledger: self, live: LiveObject(live)).retry(call)
  }

  /// Runs all unfinished calls again, one after another.
  ///
  /// - Returns: The result of each call.
  @discardableResult
  public func retryUnfinishedCalls() async throws -> [CallID: Result<HandlerResult, any Error>] {
    var results: [CallID: Result<HandlerResult, any Error>] = [:]
    for call in try await unfinishedCalls() {
      do {
        results[call.id] = .success(try await retry(call))
      } catch {
        results[call.id] = .failure(error)
      }
    }
    return results
  }
}
