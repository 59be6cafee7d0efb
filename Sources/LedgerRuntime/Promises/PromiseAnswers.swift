/// The result of a request to create a promise with a key.
public enum PromiseCreation<Value: Sendable>: Sendable {
  /// This request created the promise.
  case created(DurablePromise<Value>)
  /// The same request created it before.
  case deduplicated(DurablePromise<Value>, PromiseRecord)
  /// Another request created it before, or a strict request found it settled.
  case conflict(PromiseRecord)

  /// The promise, if this request or an earlier repetition of it created the promise.
  ///
  /// - Throws: ``LedgerError/Code/conflict`` if another request created it.
  public var promise: DurablePromise<Value> {
    get throws(LedgerError) {
      switch self {
      case .created(let promise), .deduplicated(let promise, _): return promise
      case .conflict(let record):
        throw .createdByAnother(record.id.name(key: record.key, label: record.label))
      }
    }
  }
}

/// The result of a request to resolve a promise.
@nonexhaustive public enum PromiseResolution: Sendable, Hashable {
  /// This request gave the promise its outcome.
  case resolved(PromiseRecord)
  /// The same request gave the promise its outcome before.
  case deduplicated(PromiseRecord)
  /// Another request gave the promise its outcome before; the first wins.
  case alreadyResolved(PromiseRecord)
  /// The promise was abandoned before.
  case abandoned(PromiseRecord)
  /// There is no such promise. The session also logs a warning.
  case notFound

  /// Whether the promise has the outcome of this request, from now or from an earlier repetition.
  public var isSuccess: Bool {
    switch self {
    case .resolved, .deduplicated: true
    case .alreadyResolved, .abandoned, .notFound: false
    }
  }

  /// The record of the promise after the request.
  public var record: PromiseRecord? {
    switch self {
    case .resolved(let record), .deduplicated(let record), .alreadyResolved(let record),
      .abandoned(let record):
      record
    case .notFound: nil
    }
  }
}

/// The result of a request to abandon a promise.
@nonexhaustive public enum PromiseAbandonment: Sendable, Hashable {
  /// The promise is abandoned, by this request or an earlier one.
  case abandoned(PromiseRecord)
  /// The promise was consumed before, so it cannot be abandoned.
  case alreadyConsumed(PromiseRecord)
  /// The promise was settled before, and its outcome needs no consumption, so it cannot be abandoned.
  case alreadySettled(PromiseRecord)
  /// There is no such promise.
  case notFound
}
