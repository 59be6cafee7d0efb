extension Ledger {
  /// Withdraws all handlers with a scope that are there now, one after the other.
  ///
  /// Invalidation code may create handlers and call this again: what is created meanwhile is
  /// untouched, and each handler is withdrawn once.
  ///
  /// - Parameters:
  ///   - scope: The scope.
  ///   - arguments: What is given to the invalidation code of each.
  ///   - reason: At most 2,048 bytes of UTF-8.
  /// - Returns: What became of each.
  /// - Throws: ``LedgerError`` with `invalidArgument` or what reading throws.
  @discardableResult
  public func invalidateAll(
    scope: String, _ arguments: HandlerArguments = [:], reason: String = ""
  ) async throws -> InvalidationReport {
    try TextLimit.scope.check(scope)
    try TextLimit.reason.check(reason)
    let ids = try await engine.read { try $0.activeHandlers(inScope: scope).map(\.id) }
    var report = InvalidationReport()
    for id in ids {
      do {
        try await handler(id: id).invalidate(arguments, reason: reason)
        report.invalidated.append(id)
      } catch let error as LedgerError
        where error.code == .handlerInvalidated || error.code == .handlerFinished
      {
        report.closedMeanwhile.append(id)
      } catch {
        report.failures[id] = error
      }
    }
    return report
  }

  // MARK: Unfinished calls

  /// The calls that began and that nobody runs any more, in the order of their beginnings.
  ///
  /// - Complexity: O(n log n) in the number of open handlers.
  public func unfinishedCalls() async throws -> [UnfinishedCall] {
    let (running, session) = (runningCalls, session)
    return try await engine.read { state in
      try state.openCalls().filter { started in
        let isLeftHere = started.call.runningSession == session
        return (started.call.isReleased || isLeftHere) && !running.contains(started.call.id)
      }.map { UnfinishedCall($0) }
    }
  }

  /// Runs a call again that nobody runs any more, as its next attempt, with the arguments that it
  /// began with.
  ///
  /// - Throws: As ``DurableHandler/call(_:)``: `handlerRunning` if another session took it, or it
  ///   still runs; `superseded` if another attempt came and went; `handlerFinished` if it ended.
  @discardableResult
  public func retry(_ call: UnfinishedCall) async throws -> HandlerResult {
    try await HandlerRunner(ledger: self).retry(call)
  }

  /// Runs all calls again that nobody runs any more, one after the other.
  ///
  /// - Returns: What became of each.
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

  // MARK: Looking ahead

  /// What of the ledger this session cannot run, and why: handlers whose kind it does not know, or
  /// whose bound arguments are not what their kind wants, and unfinished calls.
  ///
  /// A mandatory argument that is not bound is no problem: the call may give it.
  ///
  /// - Complexity: O(n) in the number of open handlers, whose arguments are decoded.
  public func preflight() async throws -> [HandlerProblem] {
    var problems: [HandlerProblem] = []
    for entity in try await engine.read({ try $0.openHandlers() }) {
      guard let registration = configuration.handlers[entity.kind] else {
        problems.append(HandlerProblem(entity, nil, .handlerUnregistered(entity)))
        continue
      }
      if entity.status == .active {
        let source = ArgumentSource(
          handler: entity.name, bound: try await load(entity.bound.arguments), given: .none)
        if let error = registration.problem(source, .call, false) {
          problems.append(HandlerProblem(entity, nil, error))
        }
      }
      for call in entity.callsInOrder {
        let source = ArgumentSource(
          handler: entity.name, bound: try await load(call.bound.arguments),
          given: try await load(call.arguments))
        if let error = registration.problem(source, call.purpose, true) {
          problems.append(HandlerProblem(entity, call.id, error))
        }
      }
    }
    return problems
  }
}

extension HandlerProblem {
  fileprivate init(_ entity: HandlerEntity, _ call: CallID?, _ error: LedgerError) {
    self.init(handler: entity.id, kind: entity.kind, call: call, error: error)
  }
}
