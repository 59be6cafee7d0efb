extension LedgerError {
  static func handlerFinished(_ entity: HandlerEntity) -> LedgerError {
    LedgerError(
      .handlerFinished,
      "\(entity.name) is one-shot, and its call ended. Create a repeating handler to call it again."
    )
  }

  static func handlerInvalidated(_ entity: HandlerEntity) -> LedgerError {
    let reason = entity.invalidation.map { " (\"\($0.reason)\", at \($0.fact.time))" } ?? ""
    return LedgerError(.handlerInvalidated, "\(entity.name) was withdrawn for good\(reason).")
  }

  static func handlerRunning(_ started: StartedCall) -> LedgerError {
    let call = started.call
    let session = call.runningSession.map { "session \($0)" } ?? "another session"
    return LedgerError(
      .handlerRunning,
      "\(started.entity.name): \(session) is running attempt \(call.attempt) of call \(call.id). Wait for it, or invalidate the handler."
    )
  }

  static func handlerUnregistered(_ entity: HandlerEntity) -> LedgerError {
    LedgerError(
      .handlerUnregistered,
      "\(entity.name): the kind \(entity.kind) is not registered. Register it, or a kind that has it as a former name, before the ledger is opened; the handler stays as it is."
    )
  }

  static func handlerRecursion(_ id: HandlerID) -> LedgerError {
    LedgerError(
      .handlerRecursion,
      "Handler \(id) is called by its own code, directly or by way of others. Call it as an effect, or from a handler that does not wait for it."
    )
  }

  static func handlerNesting(_ id: HandlerID, depth: Int) -> LedgerError {
    LedgerError(
      .handlerRecursion,
      "A call of handler \(id) would be nested more than \(depth) deep. Call it as an effect, or from a handler that does not wait for it."
    )
  }

  static func superseded(_ call: CallID, attempt: UInt32, of handler: CodeName) -> LedgerError {
    LedgerError(
      .superseded,
      "\(handler): attempt \(attempt) of call \(call) is no longer the newest, or the handler was withdrawn while the call was not running. Its end and its effects are discarded."
    )
  }

  static func withoutInvalidationCode(_ entity: HandlerEntity) -> LedgerError {
    LedgerError(
      .handlerUnregistered,
      "\(entity.name) has no invalidation code in this build, but a run of that code is not finished. Register the kind with its code before the ledger is opened."
    )
  }
}

extension HandlerEntity {
  /// The handler's name in errors.
  var name: CodeName { .handler(id, kind: kind, key: key, label: label) }
}
