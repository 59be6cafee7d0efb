extension Explanation {
  /// A reason that keeps the promise or handler from being changed.
  @nonexhaustive public enum Block: Sendable, Hashable {
    /// An event, or the record, is of a later version. The position is that of the event, if there is one.
    case laterVersion(Position?)
    /// An event does not fit, or cannot be read.
    case damaged(Position)
  }

  /// A state that no longer changes.
  @nonexhaustive public enum End: Sendable, Hashable {
    /// The promise has its outcome, which needs no consumption.
    case settled(PromiseOutcomeKind, since: Timestamp)
    /// The outcome was consumed.
    case consumed(since: Timestamp)
    /// The promise was abandoned.
    case abandoned(reason: String, since: Timestamp)
    /// The only call of the handler ended.
    case finished(since: Timestamp)
    /// The handler was invalidated.
    case invalidated(reason: String, since: Timestamp)
  }
}

extension Explanation.Block: ExplainedReason {
  /// The reason as a sentence.
  public var description: String {
    switch self {
    case .laterVersion(let position?):
      "The event at position \(position) is of a later version, so this version changes nothing."
    case .laterVersion(nil):
      "Its record is of a later version, so this version reads and changes nothing."
    case .damaged(let position):
      "The event at position \(position) cannot be applied, so nothing is changed."
    }
  }

  var facts: ReasonFacts {
    switch self {
    case .laterVersion: ReasonFacts("laterVersion")
    case .damaged: ReasonFacts("damaged")
    }
  }

  var remedies: [Explanation.Remedy] {
    switch self {
    case .laterVersion: [.update]
    case .damaged: [.verify]
    }
  }
}

extension Explanation.End: ExplainedReason {
  /// The reason as a sentence.
  public var description: String {
    switch self {
    case .settled(let outcome, let since):
      "It \(outcome.verb) at \(since), and needs no consumption."
    case .consumed(let since): "It was consumed at \(since)."
    case .abandoned(let reason, let since): "It was abandoned at \(since)\(Self.because(reason))."
    case .finished(let since): "Its call ended at \(since)."
    case .invalidated(let reason, let since):
      "It was invalidated at \(since)\(Self.because(reason))."
    }
  }

  private static func because(_ reason: String) -> String {
    reason.isEmpty ? "" : ", because \"\(reason)\""
  }

  var facts: ReasonFacts {
    switch self {
    case .settled(_, let since): ReasonFacts("settled", since: since)
    case .consumed(let since): ReasonFacts("consumed", since: since)
    case .abandoned(_, let since): ReasonFacts("abandoned", since: since)
    case .finished(let since): ReasonFacts("finished", since: since)
    case .invalidated(_, let since): ReasonFacts("invalidated", since: since)
    }
  }

  var remedies: [Explanation.Remedy] { [] }
}
