package import LedgerModel

/// The names of answers, for tables.
package protocol NamedAnswer {
  var verdict: String { get }
}

extension CreateHandler.Answer: NamedAnswer {
  package var verdict: String {
    switch self {
    case .created: "created"
    case .exists: "exists"
    }
  }
}

extension RebindHandler.Answer: NamedAnswer {
  package var verdict: String {
    switch self {
    case .rebound: "rebound"
    case .changedMeanwhile: "changed"
    case .notFound: "notFound"
    case .finished: "finished"
    case .invalidated: "invalidated"
    }
  }
}

extension StartCall.Answer: NamedAnswer {
  package var verdict: String {
    switch self {
    case .started: "started"
    case .changedMeanwhile: "changed"
    case .notFound: "notFound"
    case .alreadyRunning: "running"
    case .finished: "finished"
    case .invalidated: "invalidated"
    case .unregistered: "unregistered"
    }
  }
}

extension RetryCall.Answer: NamedAnswer {
  package var verdict: String {
    switch self {
    case .started: "started"
    case .taken: "taken"
    case .superseded: "superseded"
    case .finished: "finished"
    case .invalidated: "invalidated"
    case .notFound: "notFound"
    }
  }
}

extension ReleaseCall.Answer: NamedAnswer {
  package var verdict: String {
    switch self {
    case .released: "released"
    case .superseded: "superseded"
    case .notFound: "notFound"
    }
  }
}

extension FinishCall.Answer: NamedAnswer {
  package var verdict: String {
    switch self {
    case .finished: "finished"
    case .superseded: "superseded"
    case .requiredEffectRefused: "refused"
    }
  }
}

extension InvalidateHandler.Answer: NamedAnswer {
  package var verdict: String {
    switch self {
    case .invalidated: "invalidated"
    case .changedMeanwhile: "changed"
    case .alreadyInvalidated: "already"
    case .finished: "finished"
    case .notFound: "notFound"
    }
  }
}
