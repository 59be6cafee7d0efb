import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// Work that takes over the outcome of the promise that it awaited: how much of it in one commit, and
/// what may prevent it.
@Suite(.timeLimit(.minutes(10))) struct WorkFollowerTests {
  private static let rejection = WorkLedger.Outcome(
    kind: .rejected, content: StoredError.sample.encoded)
  /// The error of a rejection that does not fit into an event.
  private static let largeError = StoredError(
    domain: "test", message: String(repeating: "x", count: 9_000)
  ).encoded

  private func follow(
    _ promise: Int, _ content: [UInt8]? = nil, by ids: some Sequence<Int>, in ledger: WorkLedger
  ) throws {
    try ledger.commit(
      FollowOutcome(.numbered(promise), content: content, by: ids.map(PromiseID.numbered)))
  }

  // MARK: Chains

  @Test(arguments: WorkLedger.Form.allCases)
  func aChainIsSettledInOneCommitUpToTheWorkThatWaitedForIt(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1)
    for number in 2...5 { try ledger.create(number, .after(.numbered(number - 1), .fulfilled)) }
    try ledger.create(6, .after(.numbered(5), .failed))
    try ledger.create(7, .after(.numbered(6), .fulfilled))
    try ledger.resolve(1, .rejected)
    let events = try ledger.newestEvents()
    #expect(events.map(\.subject) == (1...5).map { PromiseID.numbered($0).entityID })
    #expect(events.dropFirst().map(\.cause) == events.dropLast().map(\.position))
    for number in 2...5 { #expect(try ledger.outcome(number) == Self.rejection) }
    #expect(try ledger.claim(6, 7) == ["started 1", "not due"])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aTimeoutIsAnErrorOfTheFirstFollower(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1, deadline: .second(1_001))
    try ledger.create(2, .after(.numbered(1), .fulfilled))
    try ledger.create(3, .after(.numbered(2), .fulfilled))
    ledger.context.now = .second(1_001)
    try ledger.commit(TimeOutDuePromises())
    let error = WorkError.awaitedTimedOut(.numbered(1)).encoded
    for number in 2...3 {
      #expect(try ledger.outcome(number) == .init(kind: .rejected, content: error))
    }
  }

  /// Whether the promise is settled before or after the work is created.
  @Test(arguments: [false, true])
  func aValueOfATypeThatGotAnotherNameIsTakenOver(isSettled: Bool) throws {
    let ledger = try WorkLedger()
    try ledger.commit(
      CreatePromise(id: .numbered(1), creation: PromiseCreated(typeTag: "old"), isStrict: true))
    if isSettled { try ledger.resolve(1) }
    let works: [(Int, [String], WorkTrigger.Settlement)] = [
      (2, ["older", "old"], .failed), (3, [], .failed), (4, ["old"], .fulfilled),
    ]
    for (number, former, settlement) in works {
      let creation = PromiseCreated(
        typeTag: "new", lifetime: .untilSettled,
        source: .work(.init(kind: "k", trigger: .after(.numbered(1), settlement))))
      try ledger.commit(
        CreatePromise(
          id: .numbered(number), creation: creation, isStrict: true, formerTypeTags: former))
    }
    if !isSettled { try ledger.resolve(1) }
    #expect(try ledger.promise(2).typeTag() == "old")
    #expect(try ledger.outcome(2)?.kind == .fulfilled)
    #expect(try ledger.outcome(3)?.kind == .rejected)
    // It runs, and has a value of its own.
    #expect(try ledger.promise(4).typeTag() == "new")
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func oneCommitSettlesALimitedAmountAndRunnersTheRest(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    let followers = 2...301
    try ledger.createPromise(1)
    try ledger.commit(
      together: followers.map { CreatePromise(work: $0, .after(.numbered(1), .fulfilled)) })
    try ledger.resolve(1, .rejected)
    let rest = try followers.filter { try ledger.outcome($0) == nil }
    #expect(rest.count == 44)
    #expect(try ledger.newestEvents().count == 257)
    // Once for each kind of thing that is missing, not for each work.
    #expect(ledger.decisionCount <= 4)
    #expect(try ledger.claim(rest[0]) == ["excluded"])
    try follow(1, by: followers, in: ledger)
    // Only the rest, once.
    #expect(try ledger.newestEvents().count == 44)
    #expect(ledger.decisionCount <= 2)
    for number in followers { #expect(try ledger.outcome(number) == Self.rejection) }
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func theLimitCountsChainsAndAllCommandsOfTheCommit(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    for number in 1...2 { try ledger.createPromise(number) }
    for (start, isChain) in [(1_000, false), (2_000, false), (3_000, true)] {
      let creations = (1...100).map { number in
        // The last wait for the followers of the first promise.
        let awaited = isChain ? 1_000 + number : start / 1_000
        return CreatePromise(work: start + number, .after(.numbered(awaited), .fulfilled))
      }
      try ledger.commit(together: creations)
    }
    let rejections = [1, 2].map { ResolvePromise(.numbered($0), .rejected, content: [9]) }
    try ledger.commit(together: rejections)
    #expect(try ledger.newestEvents().count == 2 + 256)
    let isSettled = try [1_000, 2_000, 3_000].map { start in
      try (1...100).count { try ledger.outcome(start + $0) != nil }
    }
    #expect(isSettled == [100, 56, 100])
  }

  /// A command that settles work, and then fails.
  private struct FailingRejection: Command {
    func decide(in decision: inout Decision) throws(LedgerError) {
      _ = try decision.run(ResolvePromise(.numbered(1), .rejected))
      throw LedgerError(.invalidArgument, "half-way")
    }
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aCommandThatFailsDoesNotCountTowardsTheLimit(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    for number in 1...2 { try ledger.createPromise(number) }
    for promise in 1...2 {
      let creations = (1...200).map { number in
        CreatePromise(work: 1_000 * promise + number, .after(.numbered(promise), .fulfilled))
      }
      try ledger.commit(together: creations)
    }
    try ledger.decide { (decision) throws(LedgerError) in
      _ = try? decision.run(FailingRejection())
      _ = try decision.run(ResolvePromise(.numbered(2), .rejected))
    }
    #expect(try ledger.newestEvents().count == 201)
    #expect(try ledger.outcome(1) == nil)
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func workThatEndedInTheSameCommitDoesNotCountTowardsTheLimit(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1)
    try ledger.commit(
      together: (2...501).map { CreatePromise(work: $0, .after(.numbered(1), .fulfilled)) })
    let cancelled = SnapshotNeeds(ids: Set((2...201).map { PromiseID.numbered($0).entityID }))
    try ledger.decide(cancelled) { (decision) throws(LedgerError) in
      try Decision.lookUpAll(Array(2...201)) { (number) throws(LedgerError) in
        _ = try decision.work(awaiting: .numbered(number), .fulfilled, limit: 1)
      }
      for number in 2...201 {
        _ = try decision.run(CancelWork(id: .numbered(number), reason: "no need"))
      }
      _ = try decision.run(ResolvePromise(.numbered(1), .rejected))
    }
    #expect(try ledger.newestEvents().count == 200 + 1 + 256)
  }

  // MARK: Large outcomes

  @Test(arguments: WorkLedger.Form.allCases)
  func anOutcomeThatIsStoredBesideItsEventIsPassedOnByRunners(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1)
    for number in 2...3 { try ledger.create(number, .after(.numbered(1), .fulfilled)) }
    try ledger.create(4, .after(.numbered(2), .fulfilled))
    try ledger.commit(ResolvePromise(.numbered(1), .rejected, content: Self.largeError))
    try ledger.create(5, .after(.numbered(1), .fulfilled))
    #expect(try ledger.claim(2, 5) == ["excluded", "excluded"])
    try follow(1, by: 2...5, in: ledger)
    #expect(try ledger.newestEvents().isEmpty)
    try follow(1, Self.largeError, by: [2, 3, 4, 5], in: ledger)
    #expect(try ledger.newestEvents().count == 3)
    for number in [2, 3, 5] {
      let entity = try ledger.promise(number)
      #expect(entity.resolution?.outcome == .rejected)
      #expect(entity.attachment?.byteCount == Self.largeError.count)
    }
    // It waited for the follower, whose outcome is now beside its event too.
    #expect(try ledger.claim(4) == ["excluded"])
    try follow(2, Self.largeError, by: [4], in: ledger)
    #expect(try ledger.promise(4).resolution?.outcome == .rejected)
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aLargeOutcomeOfAnAttemptIsTakenOverWithoutItsEffects(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    try ledger.create(2, .after(.numbered(1), .failed))
    try ledger.claim(1)
    let value = [UInt8](repeating: 3, count: 9_000)
    #expect(try ledger.finish(1, .returned(typeTag: "text", bytes: value)) == "fulfilled")
    #expect(try ledger.claim(2) == ["excluded"])
    let stored = PromiseResolved.content(effects: [], then: value)
    #expect(try ledger.promise(1).attachment?.byteCount == stored.count)
    try follow(1, stored, by: [2], in: ledger)
    #expect(try ledger.promise(2).attachment?.byteCount == value.count)
  }

  // MARK: Obstacles

  @Test(arguments: WorkLedger.Form.allCases)
  func aValueOfAnotherTypeRejectsTheWork(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1)
    try ledger.create(2, .after(.numbered(1), .failed), typeTag: "number")
    try ledger.resolve(1)
    let error = WorkError.otherType("number", than: "text", of: .numbered(1))
    #expect(try ledger.outcome(2) == .init(kind: .rejected, content: error.encoded))
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func workThatMayNotBeWrittenToHindersNoOther(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1)
    for number in 2...4 { try ledger.create(number, .after(.numbered(1), .fulfilled)) }
    try ledger.append([.raw(EventKind(rawValue: 999), on: PromiseID.numbered(3).entityID)])
    try ledger.resolve(1, .rejected)
    #expect(try (1...4).map { try ledger.outcome($0) != nil } == [true, true, false, true])
    try follow(1, by: [3], in: ledger)
    #expect(try ledger.newestEvents().isEmpty)
  }

  @Test func workOfALaterVersionHindersNoOther() throws {
    let ledger = try WorkLedger()
    try ledger.createPromise(1)
    for number in 2...4 { try ledger.create(number, .after(.numbered(1), .fulfilled)) }
    try ledger.foldAsLaterVersion(3)
    try ledger.resolve(1, .rejected)
    #expect(try [1, 2, 4].allSatisfy { try ledger.outcome($0) != nil })
    try follow(1, by: 2...4, in: ledger)
    #expect(try ledger.newestEvents().isEmpty)
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aDeadlineThatHasPassedCountsBeforeTheOutcome(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1)
    try ledger.create(2, .after(.numbered(1), .fulfilled), deadline: .second(1_001))
    ledger.context.now = .second(1_001)
    try ledger.resolve(1, .rejected)
    #expect(try ledger.outcome(2) == nil)
    try ledger.commit(TimeOutDuePromises())
    #expect(try ledger.outcome(2)?.kind == .timedOut)
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aFullLedgerSettlesThePromiseAlone(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1, deadline: .second(1_001))
    for number in 2...3 { try ledger.create(number, .after(.numbered(1), .fulfilled)) }
    ledger.context.now = .second(1_001)
    ledger.context.room = CommitRoom(bytes: 0, bytesWithReserve: 1 << 20)
    try ledger.commit(TimeOutDuePromises())
    #expect(try (1...3).map { try ledger.outcome($0) != nil } == [true, false, false])
    #expect(try ledger.claim(2) == ["excluded"])
    ledger.context.room = .unlimited
    try follow(1, by: 2...3, in: ledger)
    #expect(try (1...3).allSatisfy { try ledger.outcome($0) != nil })
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func parkedWorkFollowsOnceItIsResumed(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1)
    try ledger.create(2, .after(.numbered(1), .fulfilled))
    try ledger.commit(AmendWork(id: .numbered(2), WorkAmended(parking: .parked)))
    try ledger.resolve(1, .rejected)
    try follow(1, by: [2], in: ledger)
    #expect(try ledger.outcome(2) == nil)
    #expect(try ledger.claim(2) == ["parked"])
    try ledger.commit(AmendWork(id: .numbered(2), WorkAmended(parking: .resumed)))
    #expect(try ledger.claim(2) == ["excluded"])
    try follow(1, by: [2], in: ledger)
    #expect(try ledger.outcome(2) == Self.rejection)
  }
}
