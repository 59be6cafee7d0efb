package import LedgerModel

/// A reason with its name, its sentence, and the names of the actions that end it.
package struct ExplanationSample: Sendable {
  package let reason: Explanation.Reason
  package let name: String
  package let text: String
  package let actions: [String]

  package init(_ reason: Explanation.Reason, _ name: String, _ text: String, _ actions: [String]) {
    (self.reason, self.name, self.text, self.actions) = (reason, name, text, actions)
  }

  /// A sample of each reason.
  package static let all =
    waits + parkings + laneBlocks + runs + due + joints + deadlines + outside + calls + ends

  // MARK: Parts

  private static let since = Timestamp(nanosecondsSinceEpoch: 0)
  private static let later = Timestamp(nanosecondsSinceEpoch: 60_000_000_000)
  private static let zero = "1970-01-01T00:00:00.000000Z"
  private static let minute = "1970-01-01T00:01:00.000000Z"
  private static let error = StoredError(domain: "test", code: 9, message: "failed")

  private static func promise(_ number: Int) -> PromiseID { .numbered(number) }

  private static func name(promise number: Int) -> String {
    "01900001-000\(number)-7000-8000-000000000001"
  }

  private static let session = SessionID.numbered(1)
  private static let sessionName = "01900002-0001-7000-8000-000000000001"
  private static let handlerName = "01900003-0001-7000-8000-000000000001"
  private static let callName = "01900004-0001-7000-8000-000000000001"

  // MARK: Work

  private static let waits = [
    ExplanationSample(
      .waits(.forPromise(promise(2), .fulfilled, since: since)), "awaitsPromise",
      "Its code runs when promise \(name(promise: 2)) is fulfilled; the promise is pending. It has waited since \(zero).",
      ["explain"]),
    ExplanationSample(
      .waits(.forUnreadablePromise(promise(2), since: since)), "awaitsUnreadablePromise",
      "Its code runs after promise \(name(promise: 2)), which only a later version can read. It has waited since \(zero).",
      ["update"]),
    ExplanationSample(
      .waits(.inCircle([promise(1), promise(2)], since: since)), "awaitsCircle",
      "It waits for a circle of promises, each of which awaits the next: \(name(promise: 1)), \(name(promise: 2)).",
      ["force", "abandon"]),
    ExplanationSample(
      .waits(.forTime(later, since: since)), "awaitsTime",
      "Its code runs at \(minute). It has waited since \(zero).", ["wait"]),
    ExplanationSample(
      .waits(.forRetry(promise(1), at: later, failureCount: 2, error, since: since)),
      "awaitsRetry",
      "The code failed 2 times, the last time at \(zero), with test 9: failed. It runs again at \(minute).",
      ["wait", "retry"]),
    ExplanationSample(
      .waits(
        .forStepRetry(
          promise(1), step: "ship", at: later, failureCount: 2, error, since: since)),
      "awaitsStepRetry",
      "Step ship failed 2 times, the last time at \(zero), with test 9: failed. It is tried again at \(minute).",
      ["wait", "retry"]),
    ExplanationSample(
      .waits(.toPassOn(promise(2), .timedOut, since: since)), "passesOn",
      "Promise \(name(promise: 2)) timed out at \(zero), so the code will not run. A runner passes the outcome on.",
      ["openWithRunner"]),
    ExplanationSample(
      .waits(.forTimesAhead(promise(1), of: session, since: later)), "hasTimesAhead",
      "Its newest event is of \(minute), which is later than now: the clock of session \(sessionName) was ahead, or this one is behind. Times that it waits for may be wrong, too.",
      ["retry"]),
  ]

  private static let parkings = [
    ExplanationSample(
      .parked(.byFailure(promise(1), failureCount: 1, nil, since: since)), "parkedByFailure",
      "It has been parked since \(zero), because the code failed once.",
      ["retry", "cancel", "force"]),
    ExplanationSample(
      .parked(.byDeaths(promise(1), 3, since: since)), "parkedByDeaths",
      "It has been parked since \(zero), because the process died in 3 attempts: the code probably ends it.",
      ["retry", "cancel", "force"]),
    ExplanationSample(
      .parked(.byOperator(promise(1), session, since: since)), "parkedByOperator",
      "It has been parked since \(zero) by session \(sessionName).", ["retry", "cancel", "force"]),
  ]

  private static func member(
    _ number: Int, _ state: Explanation.LaneMember.State?
  ) -> Explanation.LaneMember {
    Explanation.LaneMember(
      promise: promise(number), kind: state == nil ? nil : "mail", state: state)
  }

  private static let laneBlocks: [ExplanationSample] = {
    guard let lane = try? WorkLane("lane", width: 2) else { return [] }
    return [
      ExplanationSample(
        .lane(.full(lane, by: [member(2, .running(in: session)), member(3, nil)])), "laneFull",
        "Lane \"lane\" is full, with a width of 2: promise \(name(promise: 2)) of the kind \"mail\" runs in session \(sessionName); promise \(name(promise: 3)) can be read only by a later version.",
        ["waitForCode", "explain", "explain"]),
      ExplanationSample(
        .lane(
          .held(lane, by: [member(2, .waiting(until: later)), member(3, .waiting(until: nil))])),
        "laneHeld",
        "Lane \"lane\", with a width of 2, is held by work that will be run again: promise \(name(promise: 2)) of the kind \"mail\" runs again at \(minute); promise \(name(promise: 3)) of the kind \"mail\" is due again.",
        ["explain", "explain", "park", "park"]),
      ExplanationSample(
        .lane(.behind(lane, [member(2, .due), member(3, .due)])), "behindInLane",
        "Earlier work of lane \"lane\" is due first: promise \(name(promise: 2)) of the kind \"mail\" is due; promise \(name(promise: 3)) of the kind \"mail\" is due.",
        ["run", "park", "park"]),
    ]
  }()

  private static let attempt = Explanation.Attempt(
    promise: promise(1), kind: "mail", number: 2, session: session, since: since)
  private static let attemptText = "Attempt 2 has run since \(zero) in session \(sessionName)"

  private static let runs = [
    ExplanationSample(
      .runs(.inLivingProcess(attempt)), "runs", "\(attemptText). Its process is alive.",
      ["waitForCode", "cancel"]),
    ExplanationSample(
      .runs(.inFrozenSession(attempt)), "runsInFrozenSession",
      "\(attemptText). The session is frozen.", ["unfreeze", "force"]),
    ExplanationSample(
      .runs(.inLostProcess(attempt)), "runsInLostProcess",
      "\(attemptText), whose process is gone. The next session that opens the ledger or writes gives it back.",
      ["open"]),
    ExplanationSample(
      .runs(.tooLong(attempt, mayBeTakenOverSince: later)), "runsTooLong",
      "\(attemptText). That takes more than twice as long as it may, so since \(minute) another session may take it over.",
      ["run", "endProcess"]),
    ExplanationSample(
      .runs(.toBeCancelled(promise(1), reason: "no need", since: since)), "toBeCancelled",
      "It was asked to end at \(zero), because \"no need\". It is cancelled when the code throws.",
      ["waitForCode", "force"]),
  ]

  private static let due = [
    ExplanationSample(
      .due(.withoutSession(kind: "mail", since: since)), "dueWithoutSession",
      "It has been due since \(zero), and no session is open that could run the kind \"mail\".",
      ["run"]),
    ExplanationSample(
      .due(.withSessions([session], kind: "mail", since: since)), "dueWithSessions",
      "It has been due since \(zero), and none of the open sessions has started it: they have no runner, do not know the kind \"mail\", or are busy (session \(sessionName)).",
      ["run"]),
    ExplanationSample(
      .due(.asSuspect(deathCount: 1, kind: "mail")), "dueAsSuspect",
      "The process died in 1 attempt, so it runs only in a process that runs no other such work.",
      ["run"]),
    ExplanationSample(
      .due(.tooLate(since: since, kind: "mail")), "dueTooLate",
      "No attempt starts after \(zero). The next runner that finds the work rejects the promise.",
      ["run"]),
  ]

  // MARK: Promises and handlers

  private static let joints = [
    ExplanationSample(
      .waits(.forInputs([promise(2), promise(3)], isComplete: false, since: since)),
      "awaitsInputs",
      "It is settled by other promises, of which these are pending: \(name(promise: 2)), \(name(promise: 3)), and more. It has waited since \(zero).",
      ["explain", "explain"]),
    ExplanationSample(
      .waits(.forSettlementOfJoint(since: since)), "awaitsSettlement",
      "The promises that settle it have decided since \(zero). A session that awaits it, or has a runner, settles it.",
      ["openWithRunner"]),
  ]

  private static let deadlines = [
    ExplanationSample(
      .deadline(.ahead(later, .fulfils)), "deadlineAhead", "It is fulfilled at \(minute).",
      ["wait"]),
    ExplanationSample(
      .deadline(.passed(since, .timesOut)), "deadlinePassed",
      "Its deadline, \(zero), has passed: the next session that opens the ledger or writes times it out.",
      ["open"]),
  ]

  private static let outside = [
    ExplanationSample(
      .outside(.resolution(promise(1), createdBy: session, since: since)), "awaitsResolution",
      "It has been pending since \(zero), when session \(sessionName) created it.",
      ["resolve", "abandon"]),
    ExplanationSample(
      .outside(.creatorIsGone(promise(1), session, isPending: false)), "creatorIsGone",
      "Session \(sessionName), which created it, is gone, so another one must consume it.",
      ["consume", "abandon"]),
    ExplanationSample(
      .outside(.handlers([.numbered(1)])), "inHandlers",
      "Handlers have it in their arguments: \(handlerName).", []),
    ExplanationSample(
      .outside(
        .calls([
          Explanation.RunningCall(
            handler: .numbered(1), call: .numbered(1), session: session, since: since)
        ])), "inCalls",
      "Calls that run have it in their arguments: call \(callName) of handler \(handlerName) in session \(sessionName), since \(zero).",
      ["waitForCode"]),
    ExplanationSample(
      .outside(.work([promise(2)])), "inWork",
      "Work has it in its arguments: promise \(name(promise: 2)).", ["explain"]),
    ExplanationSample(
      .outside(.consumption(promise(1), .cancelled, since: since)), "awaitsConsumption",
      "It was cancelled at \(zero), and the app has not consumed it.", ["consume", "abandon"]),
    ExplanationSample(
      .outside(.followers([promise(2), promise(3)], isComplete: false)), "awaitedByWork",
      "Work waits for it: promise \(name(promise: 2)), promise \(name(promise: 3)), and more.", []),
  ]

  private static let calls = [
    ExplanationSample(
      .call(.notCalled(.numbered(1), kind: "mail", since: since)), "notCalled",
      "It has the kind \"mail\" and has waited for a call since \(zero).", ["call", "invalidate"]),
    ExplanationSample(
      .call(.runs(.numbered(1), .call, session, since: since)), "callRuns",
      "Call \(callName) has run since \(zero) in session \(sessionName).", ["waitForCode"]),
    ExplanationSample(
      .call(.runsInLostProcess(.numbered(1), .invalidation, session, since: since)),
      "callRunsInLostProcess",
      "Invalidation \(callName) has run since \(zero) in session \(sessionName), whose process is gone. The next session that opens the ledger or writes gives it back.",
      ["open"]),
    ExplanationSample(
      .call(
        .givenBack(.numbered(2), .numbered(1), .call, kind: "mail", .notRunnable, since: since)),
      "callGivenBack",
      "Call \(callName) was given back at \(zero) (not runnable). A session that knows the kind \"mail\" may run it again.",
      ["retryCalls", "invalidate"]),
  ]

  private static let ends = [
    ExplanationSample(
      .blocked(.laterVersion(Position(rawValue: 7))), "laterVersion",
      "The event at position 7 is of a later version, so this version changes nothing.",
      ["update"]),
    ExplanationSample(
      .blocked(.damaged(Position(rawValue: 7))), "damaged",
      "The event at position 7 cannot be applied, so nothing is changed.", ["verify"]),
    ExplanationSample(
      .ended(.settled(.rejected, since: since)), "settled",
      "It was rejected at \(zero), and needs no consumption.", []),
    ExplanationSample(
      .ended(.consumed(since: since)), "consumed", "It was consumed at \(zero).", []),
    ExplanationSample(
      .ended(.abandoned(reason: "old", since: since)), "abandoned",
      "It was abandoned at \(zero), because \"old\".", []),
    ExplanationSample(
      .ended(.finished(since: since)), "finished", "Its call ended at \(zero).", []),
    ExplanationSample(
      .ended(.invalidated(reason: "", since: since)), "invalidated",
      "It was invalidated at \(zero).", []),
  ]
}
