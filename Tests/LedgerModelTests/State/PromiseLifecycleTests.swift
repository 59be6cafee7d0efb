import LedgerModelTestSupport
import Testing

@testable import LedgerModel

/// The table of operations over the life of a promise.
@Suite(.timeLimit(.minutes(10))) struct PromiseLifecycleTests {
  enum Stage: Sendable, CaseIterable {
    case pending, resolved, consumed, abandoned, resolvedAndAbandoned
  }

  enum Answer: Sendable {
    case resolved, alreadyResolved, waits, consumed, alreadyConsumed, alreadySettled, abandoned,
      notFound
    case roleMayNotConsume
  }

  private let id = PromiseID.numbered(1)

  private func ledger(at stage: Stage) throws -> PureLedger {
    var ledger = PureLedger()
    try ledger.append([.of(PromiseCreated(typeTag: "text"), on: id.entityID)])
    let resolved = PromiseResolved(
      outcome: .rejected, resolvedAt: .at(1_000), idempotencyKey: nil, content: [9])
    switch stage {
    case .pending: break
    case .resolved: try ledger.append([.of(resolved, on: id.entityID)])
    case .consumed:
      try ledger.append([
        .of(resolved, on: id.entityID),
        .of(PromiseConsumed(delivery: .recordedBefore), on: id.entityID),
      ])
    case .abandoned:
      try ledger.append([.of(PromiseAbandoned(reason: "gone"), on: id.entityID)])
    case .resolvedAndAbandoned:
      try ledger.append([
        .of(resolved, on: id.entityID), .of(PromiseAbandoned(reason: "gone"), on: id.entityID),
      ])
    }
    return ledger
  }

  @Test(arguments: [
    (Stage.pending, Answer.resolved), (.resolved, .alreadyResolved), (.consumed, .alreadyResolved),
    (.abandoned, .abandoned), (.resolvedAndAbandoned, .abandoned),
  ])
  func aResolveIsAnsweredByTheStage(stage: Stage, expected: Answer) throws {
    var ledger = try ledger(at: stage)

    #expect(try ledger.commit(ResolvePromise(id)).stageAnswer == expected)
  }

  @Test(arguments: [
    (Stage.pending, Answer.waits), (.resolved, .consumed), (.consumed, .alreadyConsumed),
    (.abandoned, .abandoned), (.resolvedAndAbandoned, .abandoned),
  ])
  func aConsumeOfTheAppIsAnsweredByTheStage(stage: Stage, expected: Answer) throws {
    var ledger = try ledger(at: stage)
    ledger.context.session = .numbered(2)

    let consume = ConsumePromise(id: id, delivery: .recordedBefore)
    #expect(try ledger.commit(consume).stageAnswer == expected)
  }

  @Test(arguments: [SessionRole.appExtension, .operator], Stage.allCases)
  func aConsumeOfAnotherRoleIsRefusedInEveryStage(role: SessionRole, stage: Stage) throws {
    var ledger = try ledger(at: stage)
    ledger.context.role = role
    let before = ledger.state.contents

    let error = #expect(throws: LedgerError.self) {
      try ledger.commit(ConsumePromise(id: id, delivery: .recordedBefore))
    }
    #expect(error?.code == .roleMayNotConsume)
    #expect(ledger.state.contents == before)
  }

  @Test(arguments: [
    (Stage.pending, Answer.abandoned), (.resolved, .abandoned), (.consumed, .alreadyConsumed),
    (.abandoned, .abandoned), (.resolvedAndAbandoned, .abandoned),
  ])
  func anAbandonIsAnsweredByTheStage(stage: Stage, expected: Answer) throws {
    var ledger = try ledger(at: stage)

    #expect(try ledger.commit(AbandonPromise(id: id, reason: "now")).stageAnswer == expected)
  }

  @Test func aMissingSubjectIsNotFound() throws {
    var ledger = PureLedger()

    #expect(try ledger.commit(ResolvePromise(id)).stageAnswer == .notFound)
    let consume = ConsumePromise(id: id, delivery: .recordedBefore)
    #expect(try ledger.commit(consume).stageAnswer == .notFound)
    #expect(try ledger.commit(AbandonPromise(id: id, reason: "")).stageAnswer == .notFound)
    #expect(ledger.frames.isEmpty)
  }

  @Test(arguments: [Stage.consumed, .abandoned, .resolvedAndAbandoned])
  func nothingBringsAClosedPromiseBack(stage: Stage) throws {
    var ledger = try ledger(at: stage)
    ledger.context.session = .numbered(2)
    ledger.context.now = .at(.max)
    let before = ledger.state.contents

    for isStrict in [false, true] {
      try ledger.commit(CreatePromise(id, idempotencyKey: "key", isStrict: isStrict))
      for outcome in PromiseOutcomeKind.allCases {
        try ledger.commit(
          ResolvePromise(id, outcome, idempotencyKey: "key", isStrict: isStrict))
      }
    }
    try ledger.commit(ConsumePromise(id: id, delivery: .recordedAfter))
    try ledger.commit(AbandonPromise(id: id, reason: "again"))
    try ledger.commit(TimeOutDuePromises())

    #expect(ledger.state.contents == before)
  }

  @Test func theConsumingSessionGetsTheSameAnswerAgainWithoutAnEvent() throws {
    var ledger = try ledger(at: .consumed)
    let before = ledger.state.contents

    let consume = ConsumePromise(id: id, delivery: .recordedAfter)
    #expect(try ledger.commit(consume).stageAnswer == .consumed)
    #expect(ledger.state.contents == before)
  }

  @Test func anAbandonKeepsItsFirstReason() throws {
    var ledger = try ledger(at: .abandoned)

    try ledger.commit(AbandonPromise(id: id, reason: "another"))

    guard case .abandoned(_, let reason)? = try ledger.state.promise(id)?.closing else {
      Issue.record("the promise is not abandoned")
      return
    }
    #expect(reason == "gone")
  }

  @Test(arguments: [
    (Stage.pending, true), (.resolved, true), (.consumed, false), (.abandoned, false),
    (.resolvedAndAbandoned, false),
  ])
  func aPromiseIsListedAsUnconsumedUntilItIsClosed(stage: Stage, isListed: Bool) throws {
    #expect(try ledger(at: stage).state.promises.open.contains { $0.id == id } == isListed)
  }

  @Test func aConsumptionNamesTheResolutionAsItsCause() throws {
    var ledger = try ledger(at: .resolved)

    try ledger.commit(ConsumePromise(id: id, delivery: .recordedBefore))

    let frame = try #require(ledger.frames.last)
    #expect(try frame.events().map(\.cause) == [Position(rawValue: 2)])
  }
}

extension ResolvePromise.Answer {
  fileprivate var stageAnswer: PromiseLifecycleTests.Answer {
    switch self {
    case .resolved: .resolved
    case .alreadyResolved, .deduplicated: .alreadyResolved
    case .abandoned: .abandoned
    case .notFound: .notFound
    }
  }
}

extension ConsumePromise.Answer {
  fileprivate var stageAnswer: PromiseLifecycleTests.Answer {
    switch self {
    case .notFound: .notFound
    case .pending, .notTaken: .waits
    case .consumed: .consumed
    case .alreadyConsumed: .alreadyConsumed
    case .abandoned: .abandoned
    }
  }
}

extension AbandonPromise.Answer {
  fileprivate var stageAnswer: PromiseLifecycleTests.Answer {
    switch self {
    case .notFound: .notFound
    case .abandoned: .abandoned
    case .alreadyConsumed: .alreadyConsumed
    case .alreadySettled: .alreadySettled
    }
  }
}
