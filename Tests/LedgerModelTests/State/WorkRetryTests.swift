import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// The failures of work: how often and when it is run again, and how it ends.
@Suite(.timeLimit(.minutes(10))) struct WorkRetryTests {
  /// The answer to the end of a failed attempt. The last failure is the one that reaches the limit, one
  /// that no other attempt can mend, or one after which it would be too late: then the work is rejected, as it would
  /// be at its next attempt.
  static func end(
    after count: Int, _ policy: WorkRetryPolicy, isFinal: Bool, isLate: Bool
  ) -> String {
    let hasReachedLimit = policy.failureLimit.map { count >= $0 } ?? false
    guard hasReachedLimit || isFinal else { return isLate ? "rejected" : "retrying" }
    return policy.givingUp == .park ? "parked" : "rejected"
  }

  private static func policy(
    _ limit: Int?, _ givingUp: WorkRetryPolicy.GivingUp
  ) throws -> WorkRetryPolicy {
    try WorkRetryPolicy(
      failureLimit: limit, firstDelay: .seconds(8), longestDelay: .seconds(30), givingUp: givingUp)
  }

  /// Lets work fail, once for each attempt, until it is no longer run again.
  private func fail(
    _ ledger: WorkLedger, of policy: WorkRetryPolicy, own: WorkRetryPolicy?,
    finalFailure: Int?, givesUpAfter: Timestamp?
  ) throws {
    try ledger.create(
      1, options: WorkOptions(retryPolicy: own, givesUpAfter: givesUpAfter))
    for count in 1...6 {
      #expect(try ledger.claim(1) == ["started \(count)"])
      let counting = own ?? policy
      let time = ledger.context.now + counting.delay(after: UInt64(count), of: .numbered(1))
      let expected = Self.end(
        after: count, counting, isFinal: finalFailure == count,
        isLate: givesUpAfter.map { time >= $0 } ?? false)
      let result: FinishWork.Result = finalFailure == count ? .finalFailure : .failure
      #expect(try ledger.finish(1, result, policy: policy) == expected, "failure \(count)")
      let progress = try #require(try ledger.promise(1).progress)
      guard expected == "retrying" else {
        #expect(try ledger.claim(1) == [expected == "parked" ? "parked" : "ended"])
        if expected == "rejected" {
          let content = StoredError.sample.encoded
          #expect(try ledger.outcome(1) == .init(kind: .rejected, content: content))
        }
        return
      }
      #expect(progress.failureCount == UInt32(count))
      #expect(progress.release?.event.retryTime == time)
      #expect(progress.release?.event.error == .sample)
      ledger.context.now = .at(time.nanosecondsSinceEpoch - 1)
      #expect(try ledger.claim(1) == ["not due"])
      ledger.context.now = time
    }
  }

  @Test(arguments: WorkLedger.Form.allCases, WorkRetryPolicy.GivingUp.allCases)
  func failuresAreCountedUpToTheLimit(
    form: WorkLedger.Form, givingUp: WorkRetryPolicy.GivingUp
  ) throws {
    for limit in [nil, 1, 2, 5] as [Int?] {
      for finalFailure in [nil, 1, 3] as [Int?] {
        for givesUpAfter in [nil, Timestamp.second(1_040)] {
          let policy = try Self.policy(limit, givingUp)
          try fail(
            WorkLedger(form), of: policy, own: nil, finalFailure: finalFailure,
            givesUpAfter: givesUpAfter)
          // The policy of the work counts, not that of the kind.
          try fail(
            WorkLedger(form), of: Self.policy(3, .reject), own: policy,
            finalFailure: finalFailure, givesUpAfter: givesUpAfter)
        }
      }
    }
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func workThatIsNotDoneInTimeIsGivenUpWithItsLastError(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1, options: WorkOptions(givesUpAfter: .second(1_100)))
    try ledger.create(2, .after(.numbered(1), .fulfilled))
    try ledger.claim(1)
    #expect(try ledger.finish(1, .failure) == "retrying")
    ledger.context.now = .second(1_100)
    #expect(try ledger.claim(1) == ["ended"])
    let error = WorkError.givenUp(after: .second(1_100), .sample)
    #expect(error.message.contains(StoredError.sample.message))
    for number in 1...2 {
      #expect(try ledger.outcome(number) == .init(kind: .rejected, content: error.encoded))
    }
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func anAttemptThatRunsMayTakeLongerThanUntilTheWorkIsGivenUp(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1, options: WorkOptions(givesUpAfter: .second(1_100)))
    try ledger.claim(1)
    ledger.context.now = .second(1_200)
    #expect(try ledger.finish(1) == "fulfilled")
  }

  // MARK: Delays

  /// The jitter of this failure of this promise is 0.
  @Test func theLongestDelayIsNotExceeded() throws {
    let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
    let id = PromiseID(entityID: EntityID(high: 0 &- 3 &* factor, low: 0))
    let longest = Duration.nanoseconds(Int64.max)
    let policy = try WorkRetryPolicy(firstDelay: longest, longestDelay: longest)
    #expect(policy.delay(after: 3, of: id) == longest)
  }

  @Test func delaysGrowByTheFactorUpToTheLongest() throws {
    for factor in [1, 1.5, 2, 10, 1_000] {
      for (first, longest) in [(1, 100), (5, 5), (0, 60), (3, 3_600)] {
        let policy = try WorkRetryPolicy(
          firstDelay: .seconds(first), longestDelay: .seconds(longest), factor: factor)
        var full = Double(first)
        for number in 1...30 as ClosedRange<UInt64> {
          for promise in 1...20 {
            let delay = policy.delay(after: number, of: .numbered(promise)) / .seconds(1)
            // A quarter less at most, give or take a nanosecond.
            #expect(
              delay >= full * 0.75 - 1e-9 && delay <= full + 1e-9,
              "factor \(factor), \(first) to \(longest), failure \(number): \(delay)")
          }
          full = min(full * factor, Double(longest))
        }
      }
    }
  }

  @Test func theLongestPossibleDelaysAreCalculatedAtOnce() throws {
    for longest in [Duration.seconds(3_600), .nanoseconds(Int64.max), .seconds(Int64.max)] {
      for factor in [1, 1.01, 1_000] {
        let policy = try WorkRetryPolicy(
          failureLimit: nil, firstDelay: .nanoseconds(1), longestDelay: longest, factor: factor)
        let delay = policy.delay(after: .max, of: .numbered(1))
        #expect(delay >= .zero && delay <= longest)
        #expect(factor == 1 || delay >= .seconds(2_699))
      }
    }
  }

  @Test func theDelayOfOneFailureIsTheSameEverywhereAndDiffersBetweenPromises() {
    let policy = WorkRetryPolicy.standard
    for number in 1...20 as ClosedRange<UInt64> {
      let delays = (1...100).map { policy.delay(after: number, of: .numbered($0)) }
      #expect(delays == (1...100).map { policy.delay(after: number, of: .numbered($0)) })
      #expect(Set(delays).count > 95)
      // Over the whole quarter.
      let (least, most) = (delays.min() ?? .zero, delays.max() ?? .zero)
      #expect(least / most < 0.8)
    }
  }

  // MARK: Deaths

  /// Lets the process of an attempt die.
  private func die(_ session: Int, in ledger: WorkLedger) throws {
    try ledger.claim(1, as: session)
    try ledger.commit(CloseSession(id: .numbered(session), reason: .died))
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func threeDeathsParkTheWork(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form, sessionCount: 6)
    try ledger.create(1)
    for session in 2...4 {
      #expect(try ledger.promise(1).progress?.isSuspect ?? false == (session > 2))
      try die(session, in: ledger)
    }
    #expect(try ledger.claim(1) == ["parked"])
    #expect(try ledger.promise(1).progress?.failureCount == 0)
    try ledger.commit(AmendWork(id: .numbered(1), WorkAmended(parking: .resumed)))
    #expect(try ledger.promise(1).progress?.isSuspect == false)
    try die(5, in: ledger)
    #expect(try ledger.claim(1) == ["started 5"])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func codeThatEndsByItselfIsNoLongerSuspect(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form, sessionCount: 6)
    try ledger.create(1)
    for session in 2...3 { try die(session, in: ledger) }
    // The end of its session says nothing about the code.
    try ledger.claim(1)
    try ledger.commit(ReleaseWork(id: .numbered(1), attempt: 3, reason: .cancelled))
    #expect(try ledger.promise(1).progress?.deathCount == 2)
    try ledger.claim(1)
    #expect(try ledger.finish(1, .failure) == "retrying")
    #expect(try ledger.promise(1).progress?.isSuspect == false)
    ledger.context.now = .second(2_000)
    for session in 4...5 { try die(session, in: ledger) }
    #expect(try ledger.claim(1) == ["started 7"])
  }

  // MARK: Resuming

  @Test(arguments: WorkLedger.Form.allCases)
  func resumedWorkHasAllItsAttemptsAgain(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1, options: WorkOptions(retryPolicy: try Self.policy(2, .park)))
    for round in 0..<2 {
      for end in ["retrying", "parked"] {
        ledger.context.now = ledger.context.now + .seconds(60)
        try ledger.claim(1)
        #expect(try ledger.finish(1, .failure) == end, "round \(round)")
      }
      try ledger.commit(AmendWork(id: .numbered(1), WorkAmended(parking: .resumed)))
      #expect(try ledger.promise(1).progress?.failureCount == 0)
    }
    // An operator wants it to run at once.
    #expect(try ledger.claim(1) == ["started 5"])
  }
}
