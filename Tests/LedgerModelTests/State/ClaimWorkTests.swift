import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// The answers to claims of work.
@Suite(.timeLimit(.minutes(10))) struct ClaimWorkTests {
  @Test func theLimitsAreThoseOfTheDocumentation() {
    #expect(ClaimWork.maximumCount == 64)
    #expect(Decision.maximumFollowerCount == 256)
    #expect(WorkProgress.deathLimit == 3)
    #expect(WorkRetryPolicy.standard.failureLimit == 20)
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func dueWorkIsStartedInOneCommit(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.commit(
      together: (1...ClaimWork.maximumCount).map { CreatePromise(work: $0) })
    let ids = (1...ClaimWork.maximumCount).map(PromiseID.numbered)
    let claims = try ledger.commit(ClaimWork(ids, runnableKinds: ["k"])).map(\.text)
    #expect(claims == Array(repeating: "started 1", count: ids.count))
    let events = try ledger.newestEvents()
    #expect(events.map(\.subject) == ids.map(\.entityID))
    #expect(events.allSatisfy { $0.kind == .workStarted })
    #expect(try ledger.state.runningWork(of: .numbered(1)).map(\.id) == ids)
  }

  /// While a commit is decided, no other process can write.
  @Test func whatClaimsDependOnIsReadTogether() throws {
    let ledger = try WorkLedger(.folded)
    let numbers = 1...ClaimWork.maximumCount
    // In each lane, a work waits before the one that is claimed; each awaits a promise of its own.
    try ledger.commit(together: (1_001...1_128).map { CreatePromise(.numbered($0)) })
    for start in [64, 0] {
      let creations = numbers.map { number in
        CreatePromise(
          work: start + number, .after(.numbered(1_000 + start + number), .any),
          options: .lane("lane \(number)"))
      }
      try ledger.commit(together: creations)
    }
    try ledger.commit(together: numbers.map { ResolvePromise(.numbered(1_000 + $0)) })
    let ids = numbers.map(PromiseID.numbered)
    let claims = try ledger.commit(ClaimWork(ids, runnableKinds: ["k"])).map(\.text)
    #expect(claims == Array(repeating: "started 1", count: ids.count))
    #expect(ledger.decisionCount <= 6)
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func eachClaimIsAnsweredForItself(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    for number in 1...3 { try ledger.createPromise(number) }
    for number in 11...23 { try ledger.create(number) }
    try ledger.create(24, .at(.second(9_000)))
    try ledger.create(25, .after(.numbered(1), .any))
    try ledger.create(26, kind: "other")
    try ledger.create(27, deadline: .second(1_001))
    try ledger.create(28, options: WorkOptions(givesUpAfter: .second(1_001)))
    try ledger.claim(11)
    try ledger.claim(12, as: 2)
    try ledger.commit(CancelWork(id: .numbered(13), reason: "no need"))
    try ledger.commit(AbandonPromise(id: .numbered(14), reason: "gone"))
    try ledger.claim(15)
    #expect(try ledger.finish(15) == "fulfilled")
    try ledger.commit(AmendWork(id: .numbered(16), WorkAmended(parking: .parked)))
    try ledger.append([.raw(EventKind(rawValue: 999), on: PromiseID.numbered(17).entityID)])
    ledger.context.now = .second(1_001)

    let expected = [
      (11, "running"), (12, "running"), (13, "ended"), (14, "ended"), (15, "ended"),
      (16, "parked"), (17, "refused unsupportedEvent"), (18, "started 1"), (24, "not due"),
      (25, "not due"), (26, "unregistered other"), (27, "ended"), (28, "ended"),
      // A promise that is settled from outside, and one that does not exist.
      (1, "ended"), (999, "ended"),
      // Twice in one command.
      (18, "running"), (19, "started 1"),
    ]
    let ids = expected.map { PromiseID.numbered($0.0) }
    let claims = try ledger.commit(ClaimWork(ids, runnableKinds: ["k"])).map(\.text)
    #expect(claims == expected.map(\.1))
    #expect(try ledger.outcome(27)?.kind == .timedOut)
    let error = WorkError.givenUp(after: .second(1_001), nil)
    #expect(try ledger.outcome(28) == .init(kind: .rejected, content: error.encoded))
    // Without the kind, nothing is known of it.
    #expect(try ledger.claim(16, 20, kinds: ["x"]) == ["unregistered k", "unregistered k"])
    #expect(try ledger.claim(26, kinds: ["k", "other"]) == ["started 1"])
  }

  @Test(arguments: [WorkLedger.Form.inMemory, .folded])
  func workOfALaterVersionHindersNoOther(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    for number in 1...3 { try ledger.create(number) }
    try ledger.foldAsLaterVersion(2)
    #expect(try ledger.claim(1, 2, 3) == ["started 1", "refused unsupportedEvent", "started 1"])
  }

  // MARK: Taking over

  @Test(arguments: WorkLedger.Form.allCases)
  func anAttemptOfAStoppedProcessIsTakenOver(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    var options = WorkOptions.lane()
    options.attemptTimeout = .seconds(10)
    for number in 1...2 { try ledger.create(number, options: options) }
    try ledger.claim(1)
    // Its process may cancel the code at the timeout, and has as long again to record that.
    ledger.context.now = .at(Timestamp.second(1_020).nanosecondsSinceEpoch - 1)
    #expect(try ledger.claim(1, as: 2) == ["running"])
    ledger.context.now = .second(1_020)
    #expect(try ledger.claim(1) == ["running"])
    #expect(try ledger.claim(2, 1, as: 2) == ["lane full", "started 2"])
    #expect(try ledger.claim(1, as: 3) == ["running"])
    // It counts neither as a failure nor as a death.
    let progress = try #require(try ledger.promise(1).progress)
    #expect(progress.failureCount == 0 && progress.deathCount == 0)
    #expect(try ledger.finish(1, attempt: 1) == "superseded")
    #expect(try ledger.finish(1, attempt: 2) == "superseded")
    #expect(try ledger.finish(1, as: 2) == "fulfilled")
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func anAttemptWithoutATimeoutIsNeverTakenOver(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    try ledger.claim(1)
    ledger.context.now = .second(1_000_000_000)
    #expect(try ledger.claim(1, as: 2) == ["running"])
  }

  // MARK: Suspects

  /// Otherwise, the request would never be answered.
  @Test(arguments: WorkLedger.Form.allCases, [true, false])
  func aCancelRequestIsAnsweredWhenDeathsParkTheWork(
    form: WorkLedger.Form, hasSteps: Bool
  ) throws {
    let ledger = try WorkLedger(form, sessionCount: 5)
    try ledger.create(1)
    for session in 3...5 {
      #expect(try ledger.claim(1, as: session) == ["started \(session - 2)"])
      if session == 3, hasSteps {
        try ledger.finishStep(as: session)
      }
      if session == 5 { try ledger.commit(CancelWork(id: .numbered(1), reason: "no need")) }
      // The session must end in a full ledger, too.
      if session == 5 {
        ledger.context.room = CommitRoom(bytes: 0, bytesWithReserve: 4 << 20)
      }
      try ledger.commit(CloseSession(id: .numbered(session), reason: .died))
    }
    // An operator must decide about what there may be to undo.
    #expect(try ledger.claim(1) == [hasSteps ? "parked" : "ended"])
    guard !hasSteps else { return }
    #expect(try ledger.outcome(1) == .init(kind: .cancelled, content: Array("no need".utf8)))
  }

  /// Works 1 and 2, whose processes died, and 3, of which no attempt was started.
  private func ledgerWithSuspects(_ form: WorkLedger.Form) throws -> WorkLedger {
    let ledger = try WorkLedger(form, sessionCount: 4)
    for number in 1...3 { try ledger.create(number) }
    for (number, session) in [(1, 3), (2, 4)] {
      try ledger.claim(number, as: session)
      try ledger.commit(CloseSession(id: .numbered(session), reason: .died))
    }
    return ledger
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aSessionRunsOneSuspectAtATime(form: WorkLedger.Form) throws {
    let ledger = try ledgerWithSuspects(form)
    #expect(try ledger.claim(1, 2, 3) == ["started 2", "suspect", "started 1"])
    #expect(try ledger.claim(2) == ["suspect"])
    #expect(try ledger.claim(2, as: 2) == ["started 2"])
    #expect(try ledger.finish(2, as: 2) == "fulfilled")
    #expect(try ledger.finish(1) == "fulfilled")
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func theNextSuspectMayRunOnceTheOtherHasEnded(form: WorkLedger.Form) throws {
    let ledger = try ledgerWithSuspects(form)
    #expect(try ledger.claim(1, 2) == ["started 2", "suspect"])
    #expect(try ledger.finish(1, .failure) == "retrying")
    #expect(try ledger.claim(2) == ["started 2"])
    // It ended by itself, so it is no suspect.
    ledger.context.now = .second(2_000)
    #expect(try ledger.claim(1) == ["started 3"])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func oneDeathMakesAllWorkOfTheSessionSuspect(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    for number in 1...3 { try ledger.create(number) }
    #expect(try ledger.claim(1, 2, 3, as: 2) == ["started 1", "started 1", "started 1"])
    try ledger.commit(CloseSession(id: .numbered(2), reason: .died))
    for number in 1...3 {
      #expect(try ledger.claim(number) == ["started 2"])
      #expect(try ledger.finish(number) == "fulfilled")
    }
  }

  // MARK: Refusals

  @Test(arguments: WorkLedger.Form.allCases)
  func aFullLedgerStartsNothing(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    for number in 1...3 { try ledger.create(number) }
    let position = ledger.position
    for room in [0, 100] {
      ledger.context.room = CommitRoom(bytes: room, bytesWithReserve: 1 << 20)
      let error = #expect(throws: LedgerError.self) { try ledger.claim(1, 2, 3) }
      #expect(error?.code == .ledgerFull)
      #expect(ledger.position == position)
    }
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aSessionThatEndedStartsNothing(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    try ledger.commit(CloseSession(id: .numbered(1), reason: .died), as: 2)
    let error = #expect(throws: LedgerError.self) { try ledger.claim(1) }
    #expect(error?.code == .sessionEnded)
    #expect(try ledger.claim(1, as: 2) == ["started 1"])
  }
}
