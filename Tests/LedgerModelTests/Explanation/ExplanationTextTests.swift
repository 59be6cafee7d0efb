import LedgerModelTestSupport
import Testing

@testable import LedgerModel

/// The words of reasons and remedies.
@Suite(.timeLimit(.minutes(10))) struct ExplanationTextTests {
  @Test func everyReasonIsASentence() {
    for sample in ExplanationSample.all {
      #expect("\(sample.reason)" == sample.text)
      #expect(sample.reason.name == sample.name)
      #expect(sample.reason.remedies.map(\.name) == sample.actions, "\(sample.name)")
    }
  }

  /// The handler is invalidated already if the run of its invalidation code was given back.
  @Test func onlyAHandlerWhoseCallWasGivenBackCanBeInvalidated() {
    func remedies(_ purpose: HandlerCallPurpose) -> [Explanation.Remedy] {
      Explanation.Call.givenBack(
        .numbered(2), .numbered(1), purpose, kind: "mail", .died, since: .second(9)
      ).remedies
    }
    #expect(remedies(.call) == [.retryCalls(kind: "mail"), .invalidate(.numbered(2))])
    #expect(remedies(.invalidation) == [.retryCalls(kind: "mail")])
  }

  @Test func namesAreDistinct() {
    let names = ExplanationSample.all.map(\.name)
    #expect(Set(names).count == names.count)
  }

  /// The facts that programs read.
  @Test func reasonsNameTheirSubjects() {
    let facts = ExplanationSample.all.map { sample in
      let reason = sample.reason
      let promises = reason.promises.isEmpty ? "" : " promises"
      let handlers = reason.handlers.isEmpty ? "" : " handlers"
      let sessions = reason.sessions.isEmpty ? "" : " sessions"
      let since = reason.since == nil ? "" : " since"
      let until = reason.until == nil ? "" : " until"
      return "\(sample.name)\(promises)\(handlers)\(sessions)\(since)\(until)"
    }
    #expect(
      facts == [
        "awaitsPromise promises since", "awaitsUnreadablePromise promises since",
        "awaitsCircle promises since", "awaitsTime since until", "awaitsRetry since until",
        "awaitsStepRetry since until",
        "passesOn promises since", "hasTimesAhead sessions since", "parkedByFailure since",
        "parkedByDeaths since",
        "parkedByOperator sessions since", "laneFull promises sessions", "laneHeld promises",
        "behindInLane promises", "runs sessions since", "runsInFrozenSession sessions since",
        "runsInLostProcess sessions since", "runsTooLong sessions since", "toBeCancelled since",
        "dueWithoutSession since", "dueWithSessions sessions since", "dueAsSuspect",
        "dueTooLate since", "awaitsInputs promises since", "awaitsSettlement since",
        "deadlineAhead until",
        "deadlinePassed since",
        "awaitsResolution sessions since", "creatorIsGone sessions", "inHandlers handlers",
        "inCalls handlers sessions", "inWork promises", "awaitsConsumption since",
        "awaitedByWork promises", "notCalled since", "callRuns sessions since",
        "callRunsInLostProcess sessions since", "callGivenBack since", "laterVersion", "damaged",
        "settled since", "consumed since", "abandoned since", "finished since",
        "invalidated since",
      ])
  }
}
