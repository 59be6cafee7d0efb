extension Explanation {
  /// The call that a handler waits for.
  @nonexhaustive public enum Call: Sendable, Hashable {
    /// The handler can be called, and is not being called.
    case notCalled(HandlerID, kind: String, since: Timestamp)
    /// A session runs a call of the handler, or its invalidation code.
    case runs(CallID, HandlerCallPurpose, SessionID, since: Timestamp)
    /// The session that ran the call ended, or its process is gone. The next session that notices gives the
    /// call back.
    case runsInLostProcess(CallID, HandlerCallPurpose, SessionID, since: Timestamp)
    /// The call was given back, and no session runs it.
    case givenBack(
      HandlerID, CallID, HandlerCallPurpose, kind: String, HandlerCallReleased.Reason,
      since: Timestamp)
  }
}

extension Explanation.Call: ExplainedReason {
  /// The reason as a sentence.
  public var description: String {
    switch self {
    case .notCalled(_, let kind, let since):
      "It has the kind \"\(kind)\" and has waited for a call since \(since)."
    case .runs(let call, let purpose, let session, let since):
      "\(purpose.words) \(call) has run since \(since) in session \(session)."
    case .runsInLostProcess(let call, let purpose, let session, let since):
      "\(purpose.words) \(call) has run since \(since) in session \(session), whose process is gone. The next session that opens the ledger or writes gives it back."
    case .givenBack(_, let call, let purpose, let kind, let reason, let since):
      "\(purpose.words) \(call) was given back at \(since) (\(reason.words)). A session that knows the kind \"\(kind)\" may run it again."
    }
  }

  var facts: ReasonFacts {
    switch self {
    case .notCalled(_, _, let since): ReasonFacts("notCalled", since: since)
    case .runs(_, _, let session, let since):
      ReasonFacts("callRuns", sessions: [session], since: since)
    case .runsInLostProcess(_, _, let session, let since):
      ReasonFacts("callRunsInLostProcess", sessions: [session], since: since)
    case .givenBack(_, _, _, _, _, let since): ReasonFacts("callGivenBack", since: since)
    }
  }

  var remedies: [Explanation.Remedy] {
    switch self {
    case .notCalled(let id, let kind, _): [.call(id, kind: kind), .invalidate(id)]
    case .runs: [.waitForCode]
    case .runsInLostProcess: [.open]
    case .givenBack(let id, _, .call, let kind, _, _): [.retryCalls(kind: kind), .invalidate(id)]
    case .givenBack(_, _, .invalidation, let kind, _, _): [.retryCalls(kind: kind)]
    }
  }
}

extension HandlerCallPurpose {
  fileprivate var words: String {
    switch self {
    case .call: "Call"
    case .invalidation: "Invalidation"
    }
  }
}

extension HandlerCallReleased.Reason {
  fileprivate var words: String { self == .notRunnable ? "not runnable" : "\(self)" }
}
