extension Explanation {
  /// A trigger of work that is not reached.
  @nonexhaustive public enum Wait: Sendable, Hashable {
    /// The work waits for a pending promise.
    case forPromise(PromiseID, WorkTrigger.Settlement, since: Timestamp)
    /// The work waits for a promise that only a later version can read.
    case forUnreadablePromise(PromiseID, since: Timestamp)
    /// The work waits for a promise that waits for itself by way of others: each awaits the next, and the last
    /// awaits the first.
    case inCircle([PromiseID], since: Timestamp)
    /// The work waits for a time.
    case forTime(Timestamp, since: Timestamp)
    /// The code failed, and is run again later.
    case forRetry(PromiseID, at: Timestamp, failureCount: Int, StoredError?, since: Timestamp)
    /// A step failed, and is tried again later, at the earliest at the time.
    case forStepRetry(
      PromiseID, step: String, at: Timestamp, failureCount: Int, StoredError?, since: Timestamp)
    /// The awaited promise was settled in a way for which the work does not wait. A runner gives the work the
    /// same outcome. The outcome is `nil` if the promise was abandoned.
    case toPassOn(PromiseID, PromiseOutcomeKind?, since: Timestamp)
    /// The newest event of the work is later than now: the clock of that session was ahead, or this one is behind.
    ///
    /// A time that follows from it may be too far away.
    case forTimesAhead(PromiseID, of: SessionID, since: Timestamp)
    /// The promise is a joint, and waits for inputs that are pending.
    case forInputs([PromiseID], isComplete: Bool, since: Timestamp)
    /// The promise is a joint that its inputs decide; a session that awaits it or has a runner settles it.
    case forSettlementOfJoint(since: Timestamp)
  }
}

extension Explanation.Wait: ExplainedReason {
  /// The reason as a sentence.
  public var description: String {
    switch self {
    case .forPromise(let id, let settlement, let since):
      "Its code runs when promise \(id) \(settlement.words); the promise is pending. It has waited since \(since)."
    case .forUnreadablePromise(let id, let since):
      "Its code runs after promise \(id), which only a later version can read. It has waited since \(since)."
    case .inCircle(let ids, _):
      "It waits for a circle of promises, each of which awaits the next: \(ids.map(\.description).joined(separator: ", "))."
    case .forTime(let time, let since):
      "Its code runs at \(time). It has waited since \(since)."
    case .forRetry(_, let time, let count, let error, let since):
      "The code failed \(times(count)), the last time at \(since)\(words(of: error)). It runs again at \(time)."
    case .forStepRetry(_, let step, let time, let count, let error, let since):
      "Step \(step) failed \(times(count)), the last time at \(since)\(words(of: error)). It is tried again at \(time)."
    case .toPassOn(let id, let outcome, let since):
      "Promise \(id) \(outcome?.verb ?? "was abandoned") at \(since), so the code will not run. A runner passes the outcome on."
    case .forTimesAhead(_, let session, let since):
      "Its newest event is of \(since), which is later than now: the clock of session \(session) was ahead, or this one is behind. Times that it waits for may be wrong, too."
    case .forInputs(let ids, let isComplete, let since):
      "It is settled by other promises, of which these are pending: \(ids.map(\.description).joined(separator: ", "))\(isComplete ? "" : ", and more"). It has waited since \(since)."
    case .forSettlementOfJoint(let since):
      "The promises that settle it have decided since \(since). A session that awaits it, or has a runner, settles it."
    }
  }

  var facts: ReasonFacts {
    switch self {
    case .forPromise(let id, _, let since):
      ReasonFacts("awaitsPromise", promises: [id], since: since)
    case .forUnreadablePromise(let id, let since):
      ReasonFacts("awaitsUnreadablePromise", promises: [id], since: since)
    case .inCircle(let ids, let since):
      ReasonFacts("awaitsCircle", promises: ids, since: since)
    case .forTime(let time, let since):
      ReasonFacts("awaitsTime", since: since, until: time)
    case .forRetry(_, let time, _, _, let since):
      ReasonFacts("awaitsRetry", since: since, until: time)
    case .forStepRetry(_, _, let time, _, _, let since):
      ReasonFacts("awaitsStepRetry", since: since, until: time)
    case .toPassOn(let id, _, let since):
      ReasonFacts("passesOn", promises: [id], since: since)
    case .forTimesAhead(_, let session, let since):
      ReasonFacts("hasTimesAhead", sessions: [session], since: since)
    case .forInputs(let ids, _, let since):
      ReasonFacts("awaitsInputs", promises: ids, since: since)
    case .forSettlementOfJoint(let since):
      ReasonFacts("awaitsSettlement", since: since)
    }
  }

  var remedies: [Explanation.Remedy] {
    switch self {
    case .forPromise(let id, _, _): [.explain(id)]
    case .forUnreadablePromise: [.update]
    case .inCircle(let ids, _): ids.first.map { [.force($0), .abandon($0)] } ?? []
    case .forTime(let time, _): [.wait(until: time)]
    case .forRetry(let id, let time, _, _, _): [.wait(until: time), .retry(id)]
    case .forStepRetry(let id, _, let time, _, _, _): [.wait(until: time), .retry(id)]
    case .toPassOn, .forSettlementOfJoint: [.openWithRunner]
    case .forTimesAhead(let id, _, _): [.retry(id)]
    case .forInputs(let ids, _, _): ids.map { .explain($0) }
    }
  }
}

extension WorkTrigger.Settlement {
  fileprivate var words: String {
    switch self {
    case .fulfilled: "is fulfilled"
    case .failed: "fails"
    case .any: "is settled"
    }
  }
}

extension PromiseOutcomeKind {
  /// The settlement, as the verb of a sentence.
  var verb: String { self == .timedOut ? "timed out" : "was \(self)" }
}

/// The number of repetitions in words.
func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }

/// An error at the end of a clause.
func words(of error: StoredError?) -> String { error.map { ", with \($0)" } ?? "" }
