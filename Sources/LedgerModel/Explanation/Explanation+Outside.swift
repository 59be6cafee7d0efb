extension Explanation {
  /// Something outside the ledger that a promise waits for.
  @nonexhaustive public enum Outside: Sendable, Hashable {
    /// The promise is pending. Any process with its id or key may resolve it.
    case resolution(PromiseID, createdBy: SessionID, since: Timestamp)
    /// The session that created the promise ended, or its process is gone.
    case creatorIsGone(PromiseID, SessionID, isPending: Bool)
    /// The arguments of open handlers contain the pending promise, so their code may resolve it.
    case handlers([HandlerID])
    /// Sessions run calls whose arguments contain the pending promise.
    case calls([RunningCall])
    /// The arguments of pending work contain the pending promise, so its code may resolve it.
    case work([PromiseID])
    /// The promise has an outcome, which the app has not consumed.
    case consumption(PromiseID, PromiseOutcomeKind, since: Timestamp)
    /// Work that waits for the promise.
    case followers([PromiseID], isComplete: Bool)
  }

  /// A call that a session runs.
  public struct RunningCall: Sendable, Hashable {
    /// The handler.
    public let handler: HandlerID
    /// The call.
    public let call: CallID
    /// The session that runs it.
    public let session: SessionID
    /// The time at which its newest attempt began.
    public let since: Timestamp

    package init(handler: HandlerID, call: CallID, session: SessionID, since: Timestamp) {
      self.handler = handler
      self.call = call
      self.session = session
      self.since = since
    }
  }
}

extension Explanation.Outside: ExplainedReason {
  /// The reason as a sentence.
  public var description: String {
    switch self {
    case .resolution(_, let session, let since):
      "It has been pending since \(since), when session \(session) created it."
    case .creatorIsGone(_, let session, let isPending):
      "Session \(session), which created it, is gone, so another one must \(isPending ? "resolve" : "consume") it."
    case .handlers(let ids):
      "Handlers have it in their arguments: \(ids.map(\.description).joined(separator: ", "))."
    case .calls(let calls):
      "Calls that run have it in their arguments: \(calls.map(\.words).joined(separator: "; "))."
    case .work(let ids):
      "Work has it in its arguments: \(ids.words)."
    case .consumption(_, let outcome, let since):
      "It \(outcome.verb) at \(since), and the app has not consumed it."
    case .followers(let ids, let isComplete):
      "Work waits for it: \(ids.words)\(isComplete ? "" : ", and more")."
    }
  }

  var facts: ReasonFacts {
    switch self {
    case .resolution(_, let session, let since):
      ReasonFacts("awaitsResolution", sessions: [session], since: since)
    case .creatorIsGone(_, let session, _): ReasonFacts("creatorIsGone", sessions: [session])
    case .handlers(let ids): ReasonFacts("inHandlers", handlers: ids)
    case .calls(let calls):
      ReasonFacts("inCalls", handlers: calls.map(\.handler), sessions: calls.map(\.session))
    case .work(let ids): ReasonFacts("inWork", promises: ids)
    case .consumption(_, _, let since): ReasonFacts("awaitsConsumption", since: since)
    case .followers(let ids, _): ReasonFacts("awaitedByWork", promises: ids)
    }
  }

  var remedies: [Explanation.Remedy] {
    switch self {
    case .resolution(let id, _, _): [.resolve(id), .abandon(id)]
    case .creatorIsGone(let id, _, let isPending):
      isPending ? [.resolve(id), .abandon(id)] : [.consume(id), .abandon(id)]
    case .handlers: []
    case .calls: [.waitForCode]
    case .work(let ids): ids.map { .explain($0) }
    case .consumption(let id, _, _): [.consume(id), .abandon(id)]
    case .followers: []
    }
  }
}

extension Explanation.RunningCall {
  fileprivate var words: String {
    "call \(call) of handler \(handler) in session \(session), since \(since)"
  }
}

extension [PromiseID] {
  fileprivate var words: String { map { "promise \($0)" }.joined(separator: ", ") }
}
