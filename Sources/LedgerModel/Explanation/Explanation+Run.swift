extension Explanation {
  /// An attempt of work that a session runs, according to the log.
  @nonexhaustive public enum Run: Sendable, Hashable {
    /// The process of the session is alive.
    case inLivingProcess(Attempt)
    /// The session is frozen. Its code may go on.
    case inFrozenSession(Attempt)
    /// The session ended, or its process is gone. The next session that notices gives the work back.
    case inLostProcess(Attempt)
    /// The attempt takes more than twice the time that it may take, so another session may take it over.
    case tooLong(Attempt, mayBeTakenOverSince: Timestamp)
    /// The work is to be cancelled. Its code, or the next attempt, learns of it.
    case toBeCancelled(PromiseID, reason: String, since: Timestamp)
  }

  /// An attempt that runs.
  public struct Attempt: Sendable, Hashable {
    /// The promise of the work.
    public let promise: PromiseID
    /// The name of its kind.
    public let kind: String
    /// The number of the attempt, from 1.
    public let number: Int
    /// The session that runs it.
    public let session: SessionID
    /// The time at which it began.
    public let since: Timestamp

    package init(
      promise: PromiseID, kind: String, number: Int, session: SessionID, since: Timestamp
    ) {
      self.promise = promise
      self.kind = kind
      self.number = number
      self.session = session
      self.since = since
    }
  }
}

extension Explanation.Run: ExplainedReason {
  /// The reason as a sentence.
  public var description: String {
    switch self {
    case .inLivingProcess(let attempt): "\(attempt.words). Its process is alive."
    case .inFrozenSession(let attempt): "\(attempt.words). The session is frozen."
    case .inLostProcess(let attempt):
      "\(attempt.words), whose process is gone. The next session that opens the ledger or writes gives it back."
    case .tooLong(let attempt, let time):
      "\(attempt.words). That takes more than twice as long as it may, so since \(time) another session may take it over."
    case .toBeCancelled(_, let reason, let since):
      "It was asked to end at \(since)\(reason.isEmpty ? "" : ", because \"\(reason)\""). It is cancelled when the code throws."
    }
  }

  var facts: ReasonFacts {
    switch self {
    case .inLivingProcess(let attempt): facts("runs", attempt)
    case .inFrozenSession(let attempt): facts("runsInFrozenSession", attempt)
    case .inLostProcess(let attempt): facts("runsInLostProcess", attempt)
    case .tooLong(let attempt, _): facts("runsTooLong", attempt)
    case .toBeCancelled(_, _, let since): ReasonFacts("toBeCancelled", since: since)
    }
  }

  private func facts(_ name: String, _ attempt: Explanation.Attempt) -> ReasonFacts {
    ReasonFacts(name, sessions: [attempt.session], since: attempt.since)
  }

  var remedies: [Explanation.Remedy] {
    switch self {
    case .inLivingProcess(let attempt): [.waitForCode, .cancel(attempt.promise)]
    case .inFrozenSession(let attempt): [.unfreeze(attempt.session), .force(attempt.promise)]
    case .inLostProcess: [.open]
    case .tooLong(let attempt, _): [.run(kind: attempt.kind), .endProcess(attempt.session)]
    case .toBeCancelled(let id, _, _): [.waitForCode, .force(id)]
    }
  }
}

extension Explanation.Attempt {
  fileprivate var words: String {
    "Attempt \(number) has run since \(since) in session \(session)"
  }
}
