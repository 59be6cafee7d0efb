/// The result of a request to create a handler.
public enum HandlerCreation: Sendable {
  /// This request created the handler.
  case created(DurableHandler)
  /// A handler with the same key existed, in any state; nothing was changed.
  case exists(DurableHandler, HandlerRecord)

  /// The handler, created now or before.
  public var handler: DurableHandler {
    switch self {
    case .created(let handler), .exists(let handler, _): handler
    }
  }
}

/// The result of a finished call of a handler.
public struct HandlerResult: Sendable {
  /// The id of the handler.
  public let handler: HandlerID
  /// The id of the call.
  public let call: CallID
  /// The number of the run that finished the call, counted from 1.
  public let attempt: Int
  /// The encoded return value of the code.
  public let stored: StoredValue
  /// The verdict on each effect, in the order in which the code requested them.
  public let effects: [DecidedEffect]

  let ledger: Ledger

  /// The return value of the code.
  ///
  /// - Throws: ``LedgerError`` with `typeMismatch` or `decodingFailed`.
  public func value<Value: Sendable>(
    as type: Value.Type = Value.self
  ) throws(LedgerError) -> Value {
    let codec: PayloadCodec<Value> = try .standard()
    guard codec.reads(stored.typeTag) else {
      throw LedgerError(
        .typeMismatch,
        "Call \(call) of handler \(handler) returned a value of the type \(stored.typeTag), not \(codec.typeTag)."
      )
    }
    do {
      // Decoded like an argument, so the promises and handlers in it are attached.
      if let decodable = Value.self as? any Decodable.Type,
        let value = try ArgumentCoding.decode(stored.bytes, as: decodable, attaching: ledger)
          as? Value
      {
        return value
      }
      return try codec.decode(stored.bytes)
    } catch {
      throw LedgerError(
        .decodingFailed,
        "The value that call \(call) of handler \(handler) returned cannot be decoded as \(Value.self).",
        cause: error)
    }
  }
}

/// The result of a request to withdraw all handlers of a scope.
public struct HandlerInvalidationReport: Sendable {
  /// The handlers that this request withdrew, in the order of their creation.
  public internal(set) var invalidated: [HandlerID] = []
  /// The handlers that another request withdrew, or whose call finished, in the meantime.
  public internal(set) var closedMeanwhile: [HandlerID] = []
  /// The handlers that could not be withdrawn, or whose invalidation code failed, with the error of each.
  public internal(set) var failures: [HandlerID: any Error] = [:]
}

/// The reason why this build cannot run a handler of the ledger, or an unfinished call of it.
public struct HandlerProblem: Sendable {
  /// The id of the handler.
  public let handler: HandlerID
  /// The stable name of its kind.
  public let kind: String
  /// The unfinished call, or `nil` if the problem is about the bound arguments.
  public let call: CallID?
  /// The reason why this build cannot run the handler.
  ///
  /// Its code is `handlerUnregistered`, `argumentMissing`, `argumentMismatch`, `decodingFailed`,
  /// `invalidArgument` (a type that splits its arguments), `unsupportedEvent` or `corrupt`.
  public let error: LedgerError
}
