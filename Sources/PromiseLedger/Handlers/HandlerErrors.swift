extension LedgerError {
  static func handlerNotFound(_ id: HandlerID) -> LedgerError {
    LedgerError(
      .handlerNotFound,
      "There is no handler \(id). Check the id, and that it belongs to this ledger.")
  }

  static func handlerFinished(_ entity: HandlerEntity) -> LedgerError {
    LedgerError(
      .handlerFinished,
      "\(entity.name) is one-shot, and its call ended. Create a repeating handler to call it again."
    )
  }

  static func handlerInvalidated(_ entity: HandlerEntity) -> LedgerError {
    let reason = entity.invalidation.map { " (\"\($0.reason)\", at \($0.fact.time))" } ?? ""
    return LedgerError(.handlerInvalidated, "\(entity.name) was withdrawn for ever\(reason).")
  }

  static func handlerRunning(_ started: StartedCall) -> LedgerError {
    let call = started.call
    let state =
      if let session = call.runningSession {
        "is run by session \(session). Wait for it"
      } else {
        "was given back unfinished. Run it again with retry(_:)"
      }
    return LedgerError(
      .handlerRunning,
      "\(started.entity.name): attempt \(call.attempt) of call \(call.id) \(state), or invalidate the handler."
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
      "Handler \(id) is called by its own code, at once or by way of others. Call it as an effect, or from a handler that does not wait for it."
    )
  }

  static func superseded(_ call: CallID, attempt: UInt32, of handler: String) -> LedgerError {
    LedgerError(
      .superseded,
      "\(handler): attempt \(attempt) of call \(call) is not the newest any more, so its end and its effects count for nothing."
    )
  }
}

extension HandlerEntity {
  /// How the handler is named in errors.
  var name: String { ArgumentSource.name(id, kind: kind) }
}
