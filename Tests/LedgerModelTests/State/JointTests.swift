import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// Joints: their creation, the commits that settle them, and what may prevent that.
@Suite(.timeLimit(.minutes(10))) struct JointTests {
  typealias Rule = PromiseCreated.Joint.Rule

  // MARK: Rules

  /// Every outcome of an input that a command can give it; `nil` abandons it.
  private static let outcomes: [PromiseOutcomeKind?] = [.fulfilled, .rejected, .cancelled, nil]

  @Test(arguments: WorkLedger.Form.allCases)
  func theCommitThatSettlesTheDecidingInputSettlesTheJoint(form: WorkLedger.Form) throws {
    for rule in Rule.allCases {
      for first in Self.outcomes {
        for second in Self.outcomes {
          for order in [[1, 2], [2, 1]] {
            let ledger = try WorkLedger(form, sessionCount: 1)
            for number in 1...2 { try ledger.createPromise(number) }
            try ledger.join(3, rule, of: 1, 2)
            let outcomes = [1: first, 2: second]
            for number in order { try ledger.end(number, outcomes[number] ?? nil) }
            let expected = expected(rule, order.map { ($0, outcomes[$0] ?? nil) })
            #expect(try ledger.outcome(3) == expected, "\(rule) of \(outcomes) in \(order)")
          }
        }
      }
    }
  }

  private func expected(
    _ rule: Rule, _ settled: [(number: Int, outcome: PromiseOutcomeKind?)]
  ) -> WorkLedger.Outcome {
    let none = WorkLedger.Outcome(kind: .fulfilled, content: [])
    func value(of number: Int) -> WorkLedger.Outcome {
      .init(kind: .fulfilled, content: PromiseResolved.jointContent(by: .numbered(number)))
    }
    func failure(_ outcome: PromiseOutcomeKind?) -> WorkLedger.Outcome {
      guard let outcome else { return .init(kind: .cancelled, content: Array("gone".utf8)) }
      return .init(kind: outcome, content: WorkLedger.content(of: outcome))
    }
    let failures = settled.filter { $0.outcome != .fulfilled }
    switch rule {
    case .all: return failures.first.map { failure($0.outcome) } ?? none
    case .allSettled: return none
    case .any:
      if let first = settled.first(where: { $0.outcome == .fulfilled }) {
        return value(of: first.number)
      }
      let message =
        settled[0].outcome == .rejected
        ? StoredError.sample.message : settled[0].outcome == nil ? "gone" : "no need"
      let error = StoredError(
        domain: "PromiseLedger.work", code: 6,
        message: "None of the promises was fulfilled. The first failure was: \(message)")
      return .init(kind: .rejected, content: error.encoded)
    case .race:
      return settled[0].outcome == .fulfilled
        ? value(of: settled[0].number) : failure(settled[0].outcome)
    }
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func anInputThatTimesOutRejectsTheJoint(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1, deadline: .second(1_001))
    try ledger.createPromise(2)
    try ledger.join(3, .all, of: 1, 2)
    ledger.context.now = .second(1_001)
    try ledger.commit(TimeOutDuePromises())
    let error = WorkError.awaitedTimedOut(.numbered(1)).encoded
    #expect(try ledger.outcome(3) == .init(kind: .rejected, content: error))
  }

  // MARK: Creating

  @Test(arguments: WorkLedger.Form.allCases)
  func aJointOfSettledPromisesIsSettledWhenItIsCreated(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    for number in 1...2 { try ledger.createPromise(number) }
    try ledger.resolve(1)
    try ledger.resolve(2)
    try ledger.join(3, .race, of: 2, 1)
    let content = PromiseResolved.jointContent(by: .numbered(1))
    #expect(try ledger.outcome(3) == .init(kind: .fulfilled, content: content))
    #expect(try ledger.newestEvents().map(\.kind) == [.promiseCreated, .promiseResolved])
    try ledger.join(4, .all, of: [])
    #expect(try ledger.outcome(4)?.kind == .fulfilled)
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aJointOfAMissingPromiseIsRefused(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1)
    let position = ledger.position
    let error = #expect(throws: LedgerError.self) { try ledger.join(3, .any, of: 1, 2) }
    #expect(error?.code == .notFound)
    // A joint does not exist before it is created, so it cannot be an input of its own.
    #expect(throws: LedgerError.self) { try ledger.join(3, .any, of: 1, 3) }
    #expect(ledger.position == position)
  }

  @Test func aRepetitionFindsTheJointOnlyWithTheSameInputs() throws {
    let ledger = try WorkLedger()
    for number in 1...2 { try ledger.createPromise(number) }
    try ledger.join(3, .all, of: 1, 2)
    func repeated(_ rule: Rule, _ numbers: Int...) throws -> Bool {
      guard case .deduplicated = try ledger.join(3, rule, of: numbers) else { return false }
      return true
    }
    #expect(try repeated(.all, 1, 2))
    #expect(try !repeated(.all, 2, 1))
    #expect(try !repeated(.any, 1, 2))
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func anInputMayBeNamedTwice(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1)
    try ledger.join(3, .all, of: 1, 1)
    try ledger.resolve(1)
    #expect(try ledger.outcome(3)?.kind == .fulfilled)
  }

  // MARK: Ending otherwise

  @Test func onlyAnOperatorEndsAJointInPlaceOfItsInputs() throws {
    let ledger = try WorkLedger()
    try ledger.createPromise(1)
    for number in 3...6 { try ledger.join(number, .all, of: 1) }
    func code(_ command: some Command<ResolvePromise.Answer>) -> LedgerError.Code? {
      #expect(throws: LedgerError.self) { try ledger.commit(command) }?.code
    }
    #expect(code(ResolvePromise(.numbered(3), .fulfilled, content: [])) == .promiseIsComputed)
    #expect(
      code(ResolvePromise(.numbered(3), .fulfilled, content: [], isForced: true))
        == .invalidArgument)
    try ledger.commit(
      ResolvePromise(.numbered(3), .rejected, content: StoredError.sample.encoded, isForced: true))
    try ledger.commit(AbandonPromise(id: .numbered(4), reason: "gone"))
    try ledger.commit(CancelWork(id: .numbered(5), reason: "no need"))
    #expect(throws: LedgerError.self) { try ledger.commit(RetryWork(id: .numbered(6))) }
    try ledger.resolve(1)
    #expect(try ledger.outcome(3)?.kind == .rejected)
    #expect(try ledger.promise(4).status == .abandoned)
    #expect(try ledger.outcome(5)?.kind == .cancelled)
    #expect(try ledger.outcome(6)?.kind == .fulfilled)
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aJointTimesOutAtItsDeadline(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1)
    try ledger.join(3, .all, of: 1, deadline: .second(1_001))
    ledger.context.now = .second(1_002)
    // It is past its deadline before its input is settled.
    try ledger.resolve(1)
    try ledger.commit(TimeOutDuePromises())
    #expect(try ledger.outcome(3)?.kind == .timedOut)
  }

  // MARK: Chains

  @Test(arguments: WorkLedger.Form.allCases)
  func jointsAndWorkSettleEachOtherInOneCommit(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    for number in 1...2 { try ledger.createPromise(number) }
    try ledger.join(3, .all, of: 1, 2)
    try ledger.create(4, .after(.numbered(3), .fulfilled))
    try ledger.join(5, .any, of: 4)
    try ledger.create(6, .after(.numbered(5), .failed))
    try ledger.resolve(1, .rejected)
    #expect(
      try ledger.newestEvents().map(\.subject)
        == [1, 3, 4, 5].map { PromiseID.numbered($0).entityID })
    #expect(try ledger.claim(6) == ["started 1"])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func workThatAJointExcludesTakesOverItsValueFromARunner(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1)
    try ledger.join(3, .all, of: 1)
    try ledger.create(4, .after(.numbered(3), .failed))
    try ledger.resolve(1)
    // The commit does not compose the value.
    #expect(try ledger.promise(4).status == .pending)
    try ledger.commit(FollowOutcome(.numbered(3), content: [7], by: [.numbered(4)]))
    #expect(try ledger.outcome(4) == .init(kind: .fulfilled, content: [7]))
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aSessionThatLooksSettlesAJointThatAnOlderBuildLeft(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1)
    try ledger.join(3, .all, of: 1)
    try ledger.join(4, .race, of: 1, 3)
    // An older build writes only the outcome of the promise.
    try ledger.append([
      .of(
        PromiseResolved(outcome: .fulfilled, resolvedAt: .second(1_000), content: [1]),
        on: PromiseID.numbered(1).entityID, at: .second(1_000))
    ])
    #expect(try ledger.promise(3).status == .pending)
    let due = try ledger.dueWork(among: [.numbered(1)])
    #expect(due.joints == [.numbered(3), .numbered(4)])
    #expect(try ledger.dueWork().joints == [.numbered(3), .numbered(4)])
    let look = try ledger.commit(LookAtPromise(id: .numbered(3)))
    #expect(look.entity?.resolution?.outcome == .fulfilled)
    #expect(try ledger.outcome(4)?.kind == .fulfilled)
    #expect(try ledger.dueWork().joints.isEmpty)
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func oneCommitSettlesALimitedNumberAndRunnersTheRest(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1)
    try ledger.commit(
      together: (2...301).map { number in
        CreatePromise(joint: number, .race, of: [1])
      })
    try ledger.resolve(1)
    #expect(try ledger.newestEvents().count == 257)
    let rest = try ledger.dueWork().joints
    #expect(rest.count == 44)
    try ledger.commit(SettleJoints(rest.sorted()))
    #expect(try ledger.dueWork().joints.isEmpty)
    for number in 2...301 { #expect(try ledger.outcome(number)?.kind == .fulfilled) }
  }

  /// They are found behind many others that have the same input and wait for another one.
  @Test(arguments: [WorkLedger.Form.inMemory, .folded])
  func everyJointThatIsDecidedIsFound(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    for number in 1...2 { try ledger.createPromise(number) }
    let count = 1_100
    try ledger.commit(
      together: (1...count).map { CreatePromise(joint: 10 + $0, .all, of: [1, 2]) })
    try ledger.join(11 + count, .all, of: 1)
    try ledger.append([
      .of(
        PromiseResolved(outcome: .fulfilled, resolvedAt: .second(1_000), content: [1]),
        on: PromiseID.numbered(1).entityID, at: .second(1_000))
    ])
    #expect(try ledger.dueWork().joints == [.numbered(11 + count)])
    #expect(try ledger.dueWork(among: [.numbered(1)]).joints == [.numbered(11 + count)])
  }

  // MARK: Refusals

  @Test func anErrorTooLargeForAnEventIsReferredTo() throws {
    let ledger = try WorkLedger()
    try ledger.createPromise(1)
    try ledger.join(3, .all, of: 1)
    let error = StoredError(domain: "", message: String(repeating: "x", count: 9_000)).encoded
    try ledger.commit(ResolvePromise(.numbered(1), .rejected, content: error))
    let expected = WorkError.largeError(of: .numbered(1), byteCount: error.count)
    #expect(try ledger.outcome(3) == .init(kind: .rejected, content: expected.encoded))
  }

  @Test func aFullLedgerLeavesTheJointForLater() throws {
    let ledger = try WorkLedger()
    try ledger.createPromise(1, deadline: .second(1_001))
    try ledger.join(3, .allSettled, of: 1)
    ledger.context.now = .second(1_001)
    ledger.context.room = CommitRoom(bytes: 0, bytesWithReserve: 1 << 20)
    try ledger.commit(TimeOutDuePromises())
    #expect(try ledger.promise(1).status == .resolved)
    // What looks at it may use the reserve.
    try ledger.commit(ConsumePromise(id: .numbered(3), delivery: .recordedBefore))
    #expect(try ledger.outcome(3)?.kind == .fulfilled)
  }

  @Test(arguments: [WorkLedger.Form.inMemory, .folded])
  func aJointWaitsForAnInputOfALaterVersion(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    for number in 1...2 { try ledger.createPromise(number) }
    try ledger.join(3, .all, of: 1, 2)
    try ledger.foldAsLaterVersion(2)
    try ledger.resolve(1)
    #expect(try ledger.promise(3).status == .pending)
    #expect(try ledger.state.verdict(on: #require(try ledger.promise(3).joint)) == .undecided)
  }
}

extension WorkLedger {
  @discardableResult
  func join(
    _ number: Int, _ rule: PromiseCreated.Joint.Rule, of inputs: Int...,
    deadline: Timestamp? = nil
  ) throws -> CreatePromise.Answer {
    try join(number, rule, of: inputs, deadline: deadline)
  }

  @discardableResult
  func join(
    _ number: Int, _ rule: PromiseCreated.Joint.Rule, of inputs: [Int], deadline: Timestamp? = nil
  ) throws -> CreatePromise.Answer {
    try commit(CreatePromise(joint: number, rule, of: inputs, deadline: deadline))
  }

  /// Settles a promise from outside, or abandons it.
  func end(_ number: Int, _ outcome: PromiseOutcomeKind?) throws {
    guard let outcome else {
      try commit(AbandonPromise(id: .numbered(number), reason: "gone"))
      return
    }
    try resolve(number, outcome)
  }

  func dueWork(among ids: Set<PromiseID>? = nil) throws -> DueWork {
    let search = WorkSearch(now: context.now, kinds: ["k"], limit: 1_024, laneLimit: 16)
    guard let ids else { return try state.dueWork(search) }
    let found = try state.dueWork(among: ids, search)
    let below = try state.dueWork(inLanes: [], awaiting: found.awaited, search)
    var due = found
    due.joints.formUnion(below.joints)
    return due
  }
}

extension CreatePromise {
  /// The creation of a joint that is open until it is settled.
  init(
    joint number: Int, _ rule: PromiseCreated.Joint.Rule, of inputs: [Int],
    deadline: Timestamp? = nil
  ) {
    self.init(
      id: .numbered(number),
      creation: PromiseCreated(
        typeTag: "text", deadline: deadline, idempotencyKey: "\(number)", lifetime: .untilSettled,
        source: .joint(
          PromiseCreated.Joint(rule, of: inputs.map(PromiseID.numbered)))),
      isStrict: false)
  }
}
