/// What became of a request to create a promise with a key.
public enum PromiseCreation<Value: Sendable>: Sendable {
  /// It was created now.
  case created(DurablePromise<Value>)
  /// The same request created it before.
  case deduplicated(DurablePromise<Value>, PromiseRecord)
  /// Another request created it before, or a strict request found it settled.
  case conflict(PromiseRecord)

  /// The promise, if this request created it, now or before.
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

/// What became of a request to resolve a promise.
public enum PromiseResolution: Sendable, Hashable {
  /// This request gave it its outcome.
  case resolved(PromiseRecord)
  /// The same request gave it its outcome before.
  case deduplicated(PromiseRecord)
  /// Another request gave it its outcome before; the first wins.
  case alreadyResolved(PromiseRecord)
  /// It was given up before.
  case abandoned(PromiseRecord)
  /// There is no such promise. The session's logger gets a warning, too.
  case notFound

  /// Whether the promise has the outcome that this request asked for, now or before.
  public var isSuccess: Bool {
    switch self {
    case .resolved, .deduplicated: true
    case .alreadyResolved, .abandoned, .notFound: false
    }
  }

  /// What the ledger knows about the promise afterwards.
  public var record: PromiseRecord? {
    switch self {
    case .resolved(let record), .deduplicated(let record), .alreadyResolved(let record),
      .abandoned(let record):
      record
    case .notFound: nil
    }
  }
}

/// What became of a request to abandon a promise.
public enum PromiseAbandonment: Sendable, Hashable {
  /// It is given up, now or before.
  case abandoned(PromiseRecord)
  /// It was consumed before, so there is nothing to give up.
  case alreadyConsumed(PromiseRecord)
  /// There is no such promise.
  case notFound
}
