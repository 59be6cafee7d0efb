/// What became of a request to create a handler.
public enum HandlerCreation: Sendable {
  /// It was created now.
  case created(DurableHandler)
  /// One with the same key was there, in whatever state; nothing was changed.
  case exists(DurableHandler, HandlerRecord)

  /// The handler, created now or before.
  public var handler: DurableHandler {
    switch self {
    case .created(let handler), .exists(let handler, _): handler
    }
  }
}

/// What a finished call of a handler came to.
public struct HandlerResult: Sendable {
  /// The handler.
  public let handler: HandlerID
  /// The call.
  public let call: CallID
  /// Which run of the call finished, from 1.
  public let attempt: Int
  /// What the code returned, encoded.
  public let stored: StoredValue
  /// What became of each effect, in the order in which the code made them.
  public let effects: [DecidedEffect]

  let ledger: Ledger

  /// What the code returned.
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
      // As arguments are, so that promises and handlers in it come out attached.
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
        "What call \(call) of handler \(handler) returned cannot be decoded as \(Value.self).",
        cause: error)
    }
  }
}

/// What became of a request to withdraw all handlers of a scope.
public struct InvalidationReport: Sendable {
  /// The handlers that were withdrawn now, in the order of their creation.
  public internal(set) var invalidated: [HandlerID] = []
  /// Those that another request withdrew, or whose call finished, meanwhile.
  public internal(set) var closedMeanwhile: [HandlerID] = []
  /// Those that could not be withdrawn, or whose invalidation code failed.
  public internal(set) var failures: [HandlerID: any Error] = [:]
}

/// Why this build cannot run a handler of the ledger, or an unfinished call of it.
public struct HandlerProblem: Sendable {
  /// The handler.
  public let handler: HandlerID
  /// The stable name of its kind.
  public let kind: String
  /// The unfinished call, or `nil` if it is about what is bound.
  public let call: CallID?
  /// What is wrong: `handlerUnregistered`, `argumentMissing`, `argumentMismatch`, `decodingFailed`,
  /// `invalidArgument` (a type that takes its arguments apart), `unsupportedEvent` or `corrupt`.
  public let error: LedgerError
}
