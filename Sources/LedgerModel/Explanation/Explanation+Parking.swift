extension Explanation {
  /// The event that parked work. It waits until an operator acts.
  @nonexhaustive public enum Parking: Sendable, Hashable {
    /// The code failed for the last time, or cannot be run at all.
    case byFailure(PromiseID, failureCount: Int, StoredError?, since: Timestamp)
    /// The process died in several attempts, and no code ended by itself in between.
    case byDeaths(PromiseID, Int, since: Timestamp)
    /// An operator parked it.
    case byOperator(PromiseID, SessionID, since: Timestamp)
  }
}

extension Explanation.Parking: ExplainedReason {
  /// The reason as a sentence.
  public var description: String {
    switch self {
    case .byFailure(_, let count, let error, let since):
      "It has been parked since \(since), because the code failed \(times(count))\(words(of: error))."
    case .byDeaths(_, let count, let since):
      "It has been parked since \(since), because the process died in \(count) attempts: the code probably ends it."
    case .byOperator(_, let session, let since):
      "It has been parked since \(since) by session \(session)."
    }
  }

  var facts: ReasonFacts {
    switch self {
    case .byFailure(_, _, _, let since): ReasonFacts("parkedByFailure", since: since)
    case .byDeaths(_, _, let since): ReasonFacts("parkedByDeaths", since: since)
    case .byOperator(_, let session, let since):
      ReasonFacts("parkedByOperator", sessions: [session], since: since)
    }
  }

  var remedies: [Explanation.Remedy] {
    switch self {
    case .byFailure(let id, _, _, _), .byDeaths(let id, _, _), .byOperator(let id, _, _):
      [.retry(id), .cancel(id), .force(id)]
    }
  }
}
