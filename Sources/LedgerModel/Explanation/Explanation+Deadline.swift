extension Explanation {
  /// The limit of the time of a pending promise.
  @nonexhaustive public enum Deadline: Sendable, Hashable {
    /// The promise settles by itself at a time.
    case ahead(Timestamp, PromiseCreated.DeadlineEffect)
    /// The time has passed. The next writer settles the promise.
    case passed(Timestamp, PromiseCreated.DeadlineEffect)
  }
}

extension Explanation.Deadline: ExplainedReason {
  /// The reason as a sentence.
  public var description: String {
    switch self {
    case .ahead(let time, .fulfils): "It is fulfilled at \(time)."
    case .ahead(let time, .timesOut): "It times out at \(time)."
    case .passed(let time, .fulfils):
      "Its time, \(time), has passed: the next session that opens the ledger or writes fulfils it."
    case .passed(let time, .timesOut):
      "Its deadline, \(time), has passed: the next session that opens the ledger or writes times it out."
    }
  }

  var facts: ReasonFacts {
    switch self {
    case .ahead(let time, _): ReasonFacts("deadlineAhead", until: time)
    case .passed(let time, _): ReasonFacts("deadlinePassed", since: time)
    }
  }

  var remedies: [Explanation.Remedy] {
    switch self {
    case .ahead(let time, _): [.wait(until: time)]
    case .passed: [.open]
    }
  }
}
