import LedgerModelTestSupport
import Testing

@testable import LedgerModel

@Suite(.timeLimit(.minutes(10))) struct DeadlineTests {
  private let id = PromiseID.numbered(1)

  /// A ledger with one pending promise that was created at 1,000 and has a deadline at 2,000.
  private func ledger(_ effect: PromiseCreated.DeadlineEffect = .timesOut, key: String? = nil)
    throws -> PureLedger
  {
    var ledger = PureLedger(now: .at(1_000))
    try ledger.commit(
      CreatePromise(id, deadline: .at(2_000), effect: effect, idempotencyKey: key))
    return ledger
  }

  @Test func aResolveBeforeTheDeadlineWins() throws {
    var ledger = try ledger()
    ledger.context.now = .at(1_999)

    #expect(try ledger.commit(ResolvePromise(id)).verdict == .resolved)
    #expect(try ledger.state.promise(id)?.resolution?.outcome == .fulfilled)
  }

  @Test(arguments: [2_000, 2_001, 9_000] as [Int64])
  func aResolveAtOrAfterTheDeadlineIsTooLate(now: Int64) throws {
    var ledger = try ledger()
    ledger.context.now = .at(now)

    #expect(try ledger.commit(ResolvePromise(id)).verdict == .alreadyResolved)
    #expect(try ledger.state.promise(id)?.resolution?.outcome == .timedOut)
  }

  @Test(arguments: [2_000, 2_001, 9_000] as [Int64])
  func aTimeoutIsResolvedAtTheDeadlineAndNotWhenItWasNoticed(now: Int64) throws {
    var ledger = try ledger()
    ledger.context.now = .at(now)

    try ledger.commit(TimeOutDuePromises())

    let resolution = try #require(try ledger.state.promise(id)?.resolution)
    #expect(resolution.resolvedAt == .at(2_000))
    #expect(resolution.fact.time == .at(now))
  }

  @Test func aTimeoutStoresNoResolveKey() throws {
    var ledger = try ledger()
    ledger.context.now = .at(2_000)

    try ledger.commit(ResolvePromise(id, idempotencyKey: "key", isStrict: false))

    #expect(try ledger.state.promise(id)?.resolved()?.idempotencyKey == nil)
  }

  @Test func aLenientResolveAfterTheDeadlineIsDeduplicated() throws {
    var ledger = try ledger()
    ledger.context.now = .at(2_000)

    #expect(try ledger.commit(ResolvePromise(id, isStrict: false)).verdict == .deduplicated)
  }

  @Test(arguments: [
    (Int64(1_999), IdempotencyOracle.Verdict.deduplicated), (2_000, .conflict),
  ])
  func aStrictCreationFindsThePromiseOnlyBeforeTheDeadline(
    now: Int64, expected: IdempotencyOracle.Verdict
  ) throws {
    var ledger = try ledger(key: "key")
    ledger.context.now = .at(now)

    let create = CreatePromise(id, idempotencyKey: "key", isStrict: true)
    #expect(try ledger.commit(create).verdict == expected)
  }

  @Test func aConsumeAfterTheDeadlineConsumesTheTimeout() throws {
    var ledger = try ledger()
    ledger.context.now = .at(2_000)

    try ledger.commit(ConsumePromise(id: id, delivery: .recordedBefore))

    let entity = try #require(try ledger.state.promise(id))
    #expect(entity.status == .consumed)
    #expect(entity.resolution?.outcome == .timedOut)
  }

  @Test func anAbandonAfterTheDeadlineAbandonsTheTimeout() throws {
    var ledger = try ledger()
    ledger.context.now = .at(2_000)

    try ledger.commit(AbandonPromise(id: id, reason: ""))

    let entity = try #require(try ledger.state.promise(id))
    #expect(entity.status == .abandoned)
    #expect(entity.resolution?.outcome == .timedOut)
  }

  @Test func aTimerBecomesFulfilledAtItsDeadline() throws {
    var ledger = try ledger(.fulfils)
    ledger.context.now = .at(2_500)

    try ledger.commit(TimeOutDuePromises())

    let resolution = try #require(try ledger.state.promise(id)?.resolution)
    #expect(resolution.outcome == .fulfilled)
    #expect(resolution.resolvedAt == .at(2_000))
  }

  @Test(arguments: [nil, "key"])
  func aTimerThatWentOffDeduplicatesNoResolve(key: String?) throws {
    var ledger = try ledger(.fulfils)
    ledger.context.now = .at(2_000)

    let resolve = ResolvePromise(id, idempotencyKey: key, isStrict: false)
    #expect(try ledger.commit(resolve).verdict == .alreadyResolved)
  }

  @Test func aPromiseThatIsCreatedAfterItsOwnDeadlineTimesOutAtTheNextCommand() throws {
    var ledger = PureLedger(now: .at(3_000))
    #expect(try ledger.commit(CreatePromise(id, deadline: .at(2_000))).verdict == .created)

    #expect(try ledger.commit(ResolvePromise(id)).verdict == .alreadyResolved)
    #expect(try ledger.state.promise(id)?.resolution?.resolvedAt == .at(2_000))
  }

  @Test func anAbandonedPromiseDoesNotTimeOut() throws {
    var ledger = try ledger()
    try ledger.commit(AbandonPromise(id: id, reason: ""))
    ledger.context.now = .at(2_000)

    #expect(try ledger.commit(TimeOutDuePromises()) == 0)
    #expect(try ledger.state.promise(id)?.resolution == nil)
  }

  @Test func theNextDeadlineIsTheEarliestOfAPendingPromise() throws {
    var ledger = try ledger()
    try ledger.commit(CreatePromise(.numbered(2), deadline: .at(1_500)))
    try ledger.commit(CreatePromise(.numbered(3), deadline: .at(1_200)))
    try ledger.commit(ResolvePromise(.numbered(3)))

    var state = ledger.state
    let next = try state.nextDeadline()
    #expect(next?.deadline == .at(1_500))
    #expect(next?.id == .numbered(2))
  }

  @Test func noDeadlineIsNextWhenNoPromiseIsPending() throws {
    var ledger = try ledger()
    try ledger.commit(ResolvePromise(id))

    var state = ledger.state
    #expect(try state.nextDeadline() == nil)
  }

  @Test func oneCommitTimesOutAtMostItsLimitAndTheNextGoesOn() throws {
    let limit = TimeOutDuePromises.limit
    var ledger = PureLedger(now: .at(1_000))
    for number in 1...(limit + 10) {
      try ledger.commit(
        CreatePromise(.numbered(number), deadline: .at(2_000 + Int64(number))))
    }
    ledger.context.now = .at(1_000_000)

    #expect(try ledger.commit(TimeOutDuePromises()) == limit)
    #expect(try ledger.state.promise(.numbered(limit))?.status == .resolved)
    #expect(try ledger.state.promise(.numbered(limit + 1))?.status == .pending)
    #expect(try ledger.commit(TimeOutDuePromises()) == 10)
    #expect(try ledger.commit(TimeOutDuePromises()) == 0)
  }

  @Test func aPromiseThatMayNotBeWrittenToDoesNotTimeOut() throws {
    var ledger = try ledger()
    try ledger.append([.raw(EventKind(rawValue: 999), on: id.entityID)])
    ledger.context.now = .at(2_000)

    #expect(try ledger.commit(TimeOutDuePromises()) == 0)
    #expect(try ledger.state.promise(id)?.status == .pending)
  }

  @Test func promisesThatMayNotBeWrittenToDoNotKeepOthersFromTimingOut() throws {
    var ledger = PureLedger(now: .at(1_000))
    let limit = TimeOutDuePromises.limit
    for number in 1...limit {
      try ledger.commit(CreatePromise(.numbered(number), deadline: .at(2_000)))
      try ledger.append([.raw(EventKind(rawValue: 999), on: .init(.numbered(number)))])
    }
    let last = PromiseID.numbered(limit + 1)
    try ledger.commit(CreatePromise(last, deadline: .at(3_000)))
    ledger.context.now = .at(4_000)

    try ledger.commit(TimeOutDuePromises())

    #expect(try ledger.state.promise(last)?.resolution?.outcome == .timedOut)
  }

  @Test func theDeadlineOfAPromiseThatMayNotBeWrittenToIsNotTheNext() throws {
    var ledger = try ledger()
    try ledger.append([.raw(EventKind(rawValue: 999), on: id.entityID)])

    var state = ledger.state
    #expect(try state.nextDeadline() == nil)
  }

  @Test func aPromiseWithADamagedCreationDoesNotKeepOthersFromTimingOut() throws {
    var ledger = try ledger()
    // A deadline at 1, then a type tag that is longer than the payload.
    let damaged: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    try ledger.append([.raw(.promiseCreated, on: .init(.numbered(2)), payload: damaged)])
    ledger.context.now = .at(2_000)

    try ledger.commit(TimeOutDuePromises())

    #expect(try ledger.state.promise(id)?.resolution?.outcome == .timedOut)
  }
}

extension EntityID {
  fileprivate init(_ id: PromiseID) { self = id.entityID }
}
