import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// The answers to the commands that operators and apps give about work.
@Suite(.timeLimit(.minutes(10))) struct WorkCommandTests {
  /// The stages of work 1.
  enum Stage: Sendable, CaseIterable {
    case new, waiting, running, retrying, parked, fulfilled, cancelled, abandoned
  }

  private func ledger(_ form: WorkLedger.Form, at stage: Stage) throws -> WorkLedger {
    let ledger = try WorkLedger(form)
    try ledger.create(1, stage == .waiting ? .at(.second(9_000)) : .now)
    let id = PromiseID.numbered(1)
    switch stage {
    case .new, .waiting: return ledger
    case .cancelled: try ledger.commit(CancelWork(id: id, reason: "no need"))
    case .abandoned: try ledger.commit(AbandonPromise(id: id, reason: "gone"))
    case .parked: try ledger.commit(AmendWork(id: id, WorkAmended(parking: .parked)))
    case .running: try ledger.claim(1)
    case .retrying, .fulfilled:
      try ledger.claim(1)
      try ledger.finish(1, stage == .retrying ? .failure : .value)
    }
    return ledger
  }

  @Test(arguments: WorkLedger.Form.allCases, Stage.allCases)
  func workThatDoesNotRunIsCancelledAtOnce(form: WorkLedger.Form, stage: Stage) throws {
    let ledger = try ledger(form, at: stage)
    let before = ledger.position
    let answer = try ledger.commit(CancelWork(id: .numbered(1), reason: "stop"))
    switch stage {
    case .running:
      #expect(answer.text == "requested")
      #expect(try ledger.promise(1).progress?.cancelRequest?.reason == "stop")
      // Once.
      let position = ledger.position
      let again = try ledger.commit(CancelWork(id: .numbered(1), reason: "again"))
      #expect(again.text == "requested")
      #expect(ledger.position == position)
    case .fulfilled, .cancelled, .abandoned:
      #expect(answer.text == "ended")
      #expect(ledger.position == before)
    case .new, .waiting, .retrying, .parked:
      #expect(answer.text == "cancelled")
      #expect(try ledger.outcome(1) == .init(kind: .cancelled, content: Array("stop".utf8)))
    }
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func workIsNotAmendedToWaitForItself(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    try ledger.createPromise(9)
    try ledger.create(2, .after(.numbered(1), .any))
    try ledger.join(3, .all, of: 2, 9)
    try ledger.join(4, .any, of: 3, 9)
    try ledger.create(5)
    try ledger.claim(5)
    let condition = WorkCondition(promises: [.numbered(3)])
    try ledger.commit(SuspendWork(id: .numbered(5), attempt: 1, until: condition))
    func amend(_ awaited: Int) throws {
      let trigger = WorkTrigger.after(.numbered(awaited), .any)
      try ledger.commit(AmendWork(id: .numbered(1), WorkAmended(trigger: trigger)))
    }
    for awaited in [2, 3, 5] {
      let error = #expect(throws: LedgerError.self) { try amend(awaited) }
      #expect(error?.code == .invalidArgument, "\(awaited)")
    }
    // The other promise may settle it.
    try amend(4)
    try amend(9)
    try ledger.resolve(9)
    try amend(9)
    #expect(try ledger.claim(1) == ["started 1"])
  }

  @Test(arguments: WorkLedger.Form.allCases, Stage.allCases)
  func workThatDoesNotRunIsParkedAndResumed(form: WorkLedger.Form, stage: Stage) throws {
    let ledger = try ledger(form, at: stage)
    let park = AmendWork(id: .numbered(1), WorkAmended(parking: .parked))
    let answer = try ledger.commit(park)
    switch stage {
    case .running: #expect(answer.text == "running")
    case .fulfilled, .cancelled, .abandoned: #expect(answer.text == "ended")
    case .new, .waiting, .retrying, .parked:
      #expect(answer.text == "amended")
      #expect(try ledger.claim(1) == ["parked"])
      let resumed = WorkAmended(parking: .resumed, trigger: .now)
      #expect(try ledger.commit(AmendWork(id: .numbered(1), resumed)).text == "amended")
      #expect(try ledger.claim(1) == [stage == .retrying ? "started 2" : "started 1"])
    }
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func workThatRunsIsAmendedForItsNextAttempt(form: WorkLedger.Form) throws {
    let ledger = try ledger(form, at: .running)
    let amended = WorkAmended(
      trigger: .at(.second(1_500)), options: .lane("other"), arguments: .sample(["a": 1]))
    #expect(try ledger.commit(AmendWork(id: .numbered(1), amended)).text == "amended")
    #expect(try ledger.finish(1, .failure) == "retrying")
    // The time of the operator counts, not that of the policy.
    ledger.context.now = .second(1_499)
    #expect(try ledger.claim(1) == ["not due"])
    ledger.context.now = .second(1_500)
    #expect(try ledger.claim(1) == ["started 2"])
    let entity = try ledger.promise(1)
    #expect(entity.workPlace?.lane?.name == "other")
    let work = try #require(try entity.creation().work)
    #expect(entity.workArguments(work) == .inline(.sample(["a": 1])))
  }

  @Test(arguments: WorkLedger.Form.allCases, Stage.allCases)
  func onlyTheRunningAttemptIsReleased(form: WorkLedger.Form, stage: Stage) throws {
    let ledger = try ledger(form, at: stage)
    let release = ReleaseWork(id: .numbered(1), attempt: 1, reason: .cancelled)
    #expect(try ledger.commit(release, as: 2) == false)
    let other = ReleaseWork(id: .numbered(1), attempt: 2, reason: .cancelled)
    #expect(try ledger.commit(other) == false)
    #expect(try ledger.commit(release) == (stage == .running))
    #expect(try ledger.commit(release) == false)
    guard stage == .running else { return }
    #expect(try ledger.claim(1) == ["started 2"])
    // Parked by its runner, which cannot run it.
    let parking = ReleaseWork(id: .numbered(1), attempt: 2, reason: .parked, error: .sample)
    #expect(try ledger.commit(parking))
    #expect(try ledger.claim(1) == ["parked"])
    #expect(try ledger.promise(1).progress?.release?.event.error == .sample)
  }

  @Test func workMustExist() throws {
    let ledger = try WorkLedger()
    try ledger.createPromise(2)
    let parked = WorkAmended(parking: .parked)
    #expect(try ledger.commit(CancelWork(id: .numbered(3), reason: "")).text == "not found")
    #expect(try ledger.commit(AmendWork(id: .numbered(3), parked)).text == "not found")
    #expect(
      try ledger.commit(ReleaseWork(id: .numbered(3), attempt: 1, reason: .cancelled)) == false)
    let cancelled = #expect(throws: LedgerError.self) {
      try ledger.commit(CancelWork(id: .numbered(2), reason: ""))
    }
    #expect(cancelled?.code == .invalidArgument)
    let amended = #expect(throws: LedgerError.self) {
      try ledger.commit(AmendWork(id: .numbered(2), parked))
    }
    #expect(amended?.code == .invalidArgument)
  }

  // MARK: Promises of work

  @Test(arguments: WorkLedger.Form.allCases, Stage.allCases)
  func onlyForceSettlesWorkFromOutside(form: WorkLedger.Form, stage: Stage) throws {
    let ledger = try ledger(form, at: stage)
    try ledger.create(2, .after(.numbered(1), .fulfilled))
    let before = ledger.position
    let isPending = ![.fulfilled, .cancelled, .abandoned].contains(stage)
    if isPending {
      let error = #expect(throws: LedgerError.self) { try ledger.resolve(1) }
      #expect(error?.code == .promiseIsComputed)
    } else {
      try ledger.resolve(1)
    }
    #expect(ledger.position == before)
    let content = StoredError.sample.encoded
    let forced = ResolvePromise(
      id: .numbered(1), outcome: .rejected, content: content, typeTag: nil, idempotencyKey: nil,
      isStrict: true, isForced: true)
    try ledger.commit(forced)
    guard isPending else {
      #expect(ledger.position == before)
      return
    }
    for number in 1...2 {
      #expect(try ledger.outcome(number) == .init(kind: .rejected, content: content))
    }
    #expect(try ledger.finish(1) == "superseded")
  }

  @Test(arguments: WorkLedger.Form.allCases, Stage.allCases)
  func pendingWorkIsAbandoned(form: WorkLedger.Form, stage: Stage) throws {
    let ledger = try ledger(form, at: stage)
    let before = ledger.position
    let answer = try ledger.commit(AbandonPromise(id: .numbered(1), reason: "gone"))
    switch (stage, answer) {
    case (.fulfilled, .alreadySettled), (.cancelled, .alreadySettled), (.abandoned, .abandoned):
      #expect(ledger.position == before)
    case (.new, .abandoned), (.waiting, .abandoned), (.running, .abandoned),
      (.retrying, .abandoned), (.parked, .abandoned):
      #expect(try ledger.claim(1) == ["ended"])
      #expect(try ledger.finish(1, attempt: 1) == "superseded")
      #expect(try ledger.state.openWork().isEmpty)
    default: Issue.record("\(stage): \(answer)")
    }
  }

  @Test(arguments: WorkLedger.Form.allCases, [SessionRole.app, .appExtension, .operator])
  func anOutcomeThatNeedsNoConsumptionIsOnlyRead(
    form: WorkLedger.Form, role: SessionRole
  ) throws {
    let ledger = try ledger(form, at: .fulfilled)
    ledger.context.role = role
    let position = ledger.position
    for session in 1...2 {
      let consume = ConsumePromise(id: .numbered(1), delivery: .recordedBefore)
      guard case .consumed(let entity) = try ledger.commit(consume, as: session) else {
        Issue.record("the outcome is not delivered")
        return
      }
      #expect(entity.status == .resolved)
      let refusing = ConsumePromise(
        id: .numbered(1), delivery: .recordedBefore, isTaken: { false })
      guard case .notTaken = try ledger.commit(refusing, as: session) else {
        Issue.record("the outcome is taken")
        return
      }
    }
    #expect(ledger.position == position)
  }
}

extension CancelWork.Answer {
  fileprivate var text: String {
    switch self {
    case .cancelled: "cancelled"
    case .requested: "requested"
    case .ended: "ended"
    case .notFound: "not found"
    }
  }
}

extension AmendWork.Answer {
  fileprivate var text: String {
    switch self {
    case .amended: "amended"
    case .running: "running"
    case .ended: "ended"
    case .notFound: "not found"
    }
  }
}
