import LedgerOracle

// The classes by which a walk counts what it has tried.

extension OracleCommand {
  /// The number of the operation.
  var number: Int {
    switch self {
    case .create: 1
    case .resolve: 2
    case .consume: 3
    case .abandon: 4
    case .timeOutDue: 5
    case .look: 6
    case .claim: 7
    case .finish: 8
    case .step: 9
    case .suspend: 10
    case .takeUp: 11
    case .release: 12
    case .cancel: 13
    case .amend: 14
    case .retry: 15
    case .follow: 16
    case .settleJoints: 17
    case .releaseLeft: 18
    case .createHandler: 19
    case .rebind: 20
    case .call: 21
    case .retryCall: 22
    case .releaseCall: 23
    case .finishCall: 24
    case .invalidate: 25
    case .createTogether: 26
    case .open: 27
    case .freeze: 28
    case .unfreeze: 29
    case .close: 30
    case .fold: 31
    case .removeRecords: 32
    case .deleteEvents: 33
    }
  }

  /// The promises or handlers that the command is about; the number 0 if it is about neither.
  var subjects: [(id: Int, isHandler: Bool)] {
    switch self {
    case .create(let id, _, _, _), .resolve(let id, _), .consume(let id), .abandon(let id),
      .look(let id), .finish(let id, _, _, _, _), .step(let id, _, _, _, _, _),
      .suspend(let id, _, _, _, _), .takeUp(let id, _), .release(let id, _, _), .cancel(let id),
      .amend(let id, _), .retry(let id), .follow(let id, _), .createTogether(let id, _, _, _):
      [(id, false)]
    case .claim(let ids), .settleJoints(let ids), .releaseLeft(let ids): ids.map { ($0, false) }
    case .createHandler(let id, _), .rebind(let id, _, _), .call(let id, _, _, _),
      .retryCall(let id, _, _, _), .releaseCall(let id, _, _),
      .finishCall(let id, _, _, _, _, _), .invalidate(let id, _, _, _):
      [(id, true)]
    case .timeOutDue, .open, .freeze, .unfreeze, .close, .fold, .removeRecords, .deleteEvents:
      [(0, false)]
    }
  }
}

extension Oracle {
  /// The class of a promise's state.
  func promiseClass(_ id: Int) -> UInt64 {
    guard let promise = promises[id] else { return removedPromises.contains(id) ? 1 : 0 }
    let source: UInt64 = promise.work != nil ? 1 : promise.joint != nil ? 2 : 0
    let state: UInt64 =
      switch promise.status {
      case .pending:
        switch promise.phase {
        case .running: 8
        case .parked: 9
        case .waiting(.now): 10
        case .waiting(.at): 11
        case .waiting(.after): 12
        case .waiting(.firstOf): 13
        case nil: 14
        }
      case .resolved: UInt64(promise.resolution?.outcome.rawValue ?? 0)
      case .consumed: 4
      case .abandoned: 5
      }
    let isCancelled: UInt64 = promise.progress?.cancelRequest == nil ? 0 : 1
    return 2 + source + state << 2 + isCancelled << 6
      + (promise.creation.endsWhenSettled ? 1 : 0) << 7
  }

  /// The class of a handler's state.
  func handlerClass(_ id: Int) -> UInt64 {
    guard let handler = handlers[id] else { return removedHandlers.contains(id) ? 1 : 0 }
    return 2 + UInt64(handler.status.rawValue) + (handler.calls.isEmpty ? 0 : 1) << 3
      + (handler.creation.isRepeating ? 1 : 0) << 4
  }
}

extension Oracle.Answer {
  /// The class of the answer.
  var number: UInt64 {
    switch self {
    case .done: 1
    case .created: 2
    case .deduplicated: 3
    case .conflict: 4
    case .resolved: 5
    case .alreadyResolved: 6
    case .abandoned: 7
    case .notFound: 8
    case .pending: 9
    case .consumed: 10
    case .alreadyConsumed: 11
    case .alreadySettled: 12
    case .cancelled: 13
    case .requested: 14
    case .ended: 15
    case .amended: 16
    case .started: 17
    case .notDue: 18
    case .excluded: 19
    case .laneFull: 20
    case .suspect: 21
    case .parked: 22
    case .unregistered: 23
    case .superseded: 24
    case .exists: 25
    case .rebound: 26
    case .changed: 27
    case .running: 28
    case .finished: 29
    case .invalidated: 30
    case .alreadyInvalidated: 31
    case .taken: 32
    case .released: 33
    case .effectRefused: 34
    case .by: 35
    case .count(let count): count == 0 ? 36 : 37
    case .attempt: 38
    case .suspended: 39
    case .due: 40
    case .cancelRequested: 41
    case .flag(let flag): flag ? 42 : 43
    case .retrying: 44
    case .settled: 45
    case .all: 46
    case .refused(let refusal): 64 + refusal.number
    }
  }
}

extension Oracle.Refusal {
  fileprivate var number: UInt64 {
    switch self {
    case .sessionEnded: 0
    case .notFound: 1
    case .recordRemoved: 2
    case .invalidArgument: 3
    case .typeMismatch: 4
    case .promiseIsComputed: 5
    case .roleMayNotConsume: 6
    case .conflict: 7
    case .other: 8
    case .superseded: 9
    }
  }
}
