extension Explanation {
  /// Work that is due, and that no session has started.
  @nonexhaustive public enum Due: Sendable, Hashable {
    /// No session is open in a living process.
    case withoutSession(kind: String, since: Timestamp)
    /// Sessions are open. Either none of them has a runner that knows the kind, or these runners are busy.
    case withSessions([SessionID], kind: String, since: Timestamp)
    /// Processes died in earlier attempts. A process runs only one such work at a time.
    case asSuspect(deathCount: Int, kind: String)
    /// The time after which no attempt starts has passed. The next runner rejects the promise.
    case tooLate(since: Timestamp, kind: String)
  }
}

extension Explanation.Due: ExplainedReason {
  /// The reason as a sentence.
  public var description: String {
    switch self {
    case .withoutSession(let kind, let since):
      "It has been due since \(since), and no session is open that could run the kind \"\(kind)\"."
    case .withSessions(let sessions, let kind, let since):
      "It has been due since \(since), and none of the open sessions has started it: they have no runner, do not know the kind \"\(kind)\", or are busy (\(sessions.map { "session \($0)" }.joined(separator: ", ")))."
    case .asSuspect(let count, _):
      "The process died in \(count) \(count == 1 ? "attempt" : "attempts"), so it runs only in a process that runs no other such work."
    case .tooLate(let time, _):
      "No attempt starts after \(time). The next runner that finds the work rejects the promise."
    }
  }

  var facts: ReasonFacts {
    switch self {
    case .withoutSession(_, let since): ReasonFacts("dueWithoutSession", since: since)
    case .withSessions(let sessions, _, let since):
      ReasonFacts("dueWithSessions", sessions: sessions, since: since)
    case .asSuspect: ReasonFacts("dueAsSuspect")
    case .tooLate(let since, _): ReasonFacts("dueTooLate", since: since)
    }
  }

  var remedies: [Explanation.Remedy] {
    switch self {
    case .withoutSession(let kind, _), .withSessions(_, let kind, _), .asSuspect(_, let kind),
      .tooLate(_, let kind):
      [.run(kind: kind)]
    }
  }
}
