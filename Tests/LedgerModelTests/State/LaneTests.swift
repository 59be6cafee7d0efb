import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// Lanes: the order of their work, and how much of it runs at once.
@Suite(.timeLimit(.minutes(10))) struct LaneTests {
  /// A ledger with work of one lane, from 1.
  private func ledger(
    _ form: WorkLedger.Form, count: Int, width: Int = 1, policy: WorkRetryPolicy? = nil
  ) throws -> WorkLedger {
    let ledger = try WorkLedger(form)
    var options = WorkOptions.lane(width: width)
    options.retryPolicy = policy
    for number in 1...count { try ledger.create(number, options: options) }
    return ledger
  }

  private func amend(_ number: Int, _ amended: WorkAmended, in ledger: WorkLedger) throws {
    try ledger.commit(AmendWork(id: .numbered(number), amended))
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func workRunsInTheOrderOfItsCreation(form: WorkLedger.Form) throws {
    let ledger = try ledger(form, count: 4)
    for number in 1...4 {
      for later in (number...4).dropFirst() { #expect(try ledger.claim(later) == ["lane full"]) }
      #expect(try ledger.claim(number) == ["started 1"])
      for later in (number...4).dropFirst() { #expect(try ledger.claim(later) == ["lane full"]) }
      #expect(try ledger.finish(number) == "fulfilled")
    }
  }

  @Test(arguments: WorkLedger.Form.allCases, 2...4)
  func asMuchRunsAtOnceAsTheLaneIsWide(form: WorkLedger.Form, width: Int) throws {
    let ledger = try ledger(form, count: 6, width: width)
    let ids = (1...6).map(PromiseID.numbered)
    // In the wrong order, only those start that are among the first anyway.
    let last = Array(repeating: "lane full", count: 6 - width)
    let first = Array(repeating: "started 1", count: width)
    let claims = try ledger.commit(ClaimWork(ids.reversed(), runnableKinds: ["k"])).map(\.text)
    #expect(claims == last + first)
    #expect(try ledger.finish(width) == "fulfilled")
    #expect(try ledger.claim(6, 1, width + 1) == ["lane full", "running", "started 1"])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func sessionsShareALane(form: WorkLedger.Form) throws {
    let ledger = try ledger(form, count: 3, width: 2)
    #expect(try ledger.claim(1, as: 1) == ["started 1"])
    #expect(try ledger.claim(2, as: 2) == ["started 1"])
    #expect(try ledger.claim(3, as: 3) == ["lane full"])
    try ledger.commit(CloseSession(id: .numbered(2), reason: .died))
    // The work of the dead session keeps its place.
    #expect(try ledger.claim(3, 2, as: 3) == ["lane full", "started 2"])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func claimsOfOneCommitCountTogether(form: WorkLedger.Form) throws {
    let ledger = try ledger(form, count: 2)
    let texts = try ledger.decide { (decision) throws(LedgerError) -> [String] in
      _ = try decision.run(CreatePromise(work: 3, options: .lane()))
      var texts: [String] = []
      for number in 1...3 {
        let claim = ClaimWork([.numbered(number)], runnableKinds: ["k"])
        texts += try decision.run(claim).map(\.text)
        let finish = FinishWork(id: .numbered(number), attempt: 1, result: .value)
        // The first one ends in this commit.
        if number == 1 { texts.append(try decision.run(finish).text) }
      }
      return texts
    }
    #expect(texts == ["started 1", "fulfilled", "started 1", "lane full"])
    #expect(try ledger.finish(2) == "fulfilled")
    #expect(try ledger.claim(3) == ["started 1"])
  }

  // MARK: Places

  @Test(arguments: WorkLedger.Form.allCases)
  func workThatIsRetriedKeepsItsPlace(form: WorkLedger.Form) throws {
    let ledger = try ledger(form, count: 2)
    try ledger.claim(1)
    #expect(try ledger.finish(1, .failure) == "retrying")
    #expect(try ledger.claim(2) == ["lane full"])
    ledger.context.now = .second(1_010)
    #expect(try ledger.claim(2, 1) == ["lane full", "started 2"])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func workOfAFrozenSessionKeepsItsPlace(form: WorkLedger.Form) throws {
    let ledger = try ledger(form, count: 2)
    try ledger.claim(1)
    try ledger.commit(FreezeSession())
    #expect(try ledger.claim(2, as: 2) == ["lane full"])
    #expect(try ledger.finish(1) == "fulfilled")
    #expect(try ledger.claim(2, as: 2) == ["started 1"])
  }

  /// A work parked, resumed while others run, and run after them.
  @Test(arguments: WorkLedger.Form.allCases)
  func parkedWorkLeavesTheLaneAndComesBack(form: WorkLedger.Form) throws {
    let policy = try WorkRetryPolicy(failureLimit: 1, givingUp: .park)
    let ledger = try ledger(form, count: 4, policy: policy)
    for number in 1...2 {
      try ledger.claim(number)
      #expect(try ledger.finish(number, .failure) == "parked")
    }
    #expect(try ledger.claim(3) == ["started 1"])
    // Both have the only place of the lane, besides the one that runs.
    for number in 1...2 { try amend(number, WorkAmended(parking: .resumed), in: ledger) }
    #expect(try ledger.claim(1, 2, 4) == ["lane full", "lane full", "lane full"])
    #expect(try ledger.finish(3) == "fulfilled")
    #expect(try ledger.claim(4, 2, 1) == ["lane full", "started 2", "lane full"])
    #expect(try ledger.finish(2) == "fulfilled")
    #expect(try ledger.claim(4, 1) == ["lane full", "started 2"])
    #expect(try ledger.finish(1) == "fulfilled")
    #expect(try ledger.claim(4) == ["started 1"])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func workThatEndedWithoutAnAttemptLeavesTheQueue(form: WorkLedger.Form) throws {
    let ledger = try ledger(form, count: 5)
    try ledger.commit(CancelWork(id: .numbered(1), reason: "no need"))
    try ledger.commit(AbandonPromise(id: .numbered(2), reason: "gone"))
    try amend(3, WorkAmended(parking: .parked), in: ledger)
    try amend(4, WorkAmended(options: .lane("other")), in: ledger)
    #expect(try ledger.claim(5) == ["started 1"])
    #expect(try ledger.claim(4) == ["started 1"])
  }

  /// More of it than is looked at in the order of creation.
  @Test(arguments: WorkLedger.Form.allCases, [WorkTrigger.now, .at(.second(999))])
  func muchWorkThatIsNotDueDoesNotHideTheWorkBehindIt(
    form: WorkLedger.Form, trigger: WorkTrigger
  ) throws {
    let ledger = try WorkLedger(form)
    let count = LedgerState.maximumQueueCount + 10
    try ledger.commit(
      together: (1...count).map {
        CreatePromise(work: $0, .at(.second(9_000)), options: .lane())
      })
    for number in 1...2 { try ledger.create(count + number, trigger, options: .lane()) }
    let search = WorkSearch(now: ledger.context.now, kinds: ["k"], limit: 1_024, laneLimit: 16)
    let due = [count + 1, count + 2].map(PromiseID.numbered)
    let found = try ledger.state.dueWork(search)
    #expect(found.incompleteKinds.isEmpty)
    #expect(Set(found.candidates.map(\.id)).isSubset(of: due))
    #expect(found.candidates.first?.id == due[0])
    // A look at the lane alone says that there may be more.
    let lane = try ledger.state.dueWork(inLanes: ["lane"], awaiting: [], search)
    #expect(!lane.candidates.isEmpty || lane.incompleteKinds == ["k"])
    #expect(try ledger.claim(count + 1) == ["started 1"])
  }

  /// Work of other times is seen first, and comes later all the same.
  @Test(arguments: WorkLedger.Form.allCases)
  func theFirstWorkBehindMuchThatWaitsIsFound(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    let count = LedgerState.maximumQueueCount + 10
    try ledger.commit(
      together: (1...count).map {
        CreatePromise(work: $0, .at(.second(9_000)), options: .lane())
      })
    try ledger.create(count + 1, options: .lane())
    for number in 2...9 { try ledger.create(count + number, .at(.second(999)), options: .lane()) }
    let search = WorkSearch(now: ledger.context.now, kinds: ["k"], limit: 1_024, laneLimit: 2)
    let found = try ledger.state.dueWork(search)
    #expect(found.candidates.contains { $0.id == .numbered(count + 1) })
    #expect(found.candidates.count <= 2 && found.incompleteKinds.isEmpty)
  }

  /// More of it than entries of the lane are visited.
  @Test func muchWorkThatEndedSinceTheSnapshotDoesNotHideTheWorkBehindIt() throws {
    let ledger = try WorkLedger(.halfFolded)
    let count = LedgerState.maximumVisitedCount + 20
    for numbers in Array(1...(count + 1)).slices(of: 1_000) {
      try ledger.commit(together: numbers.map { CreatePromise(work: $0, options: .lane()) })
    }
    for numbers in Array(1...count).slices(of: 1_000) {
      try ledger.commit(
        together: numbers.map { CancelWork(id: .numbered($0), reason: "no need") })
    }
    // Now all of the lane is in the first half of the log, which is folded.
    try ledger.commit(
      together: (1...40).map { CreatePromise(work: count + 1 + $0, .at(.second(9_000))) })
    let search = WorkSearch(now: ledger.context.now, kinds: ["k"], limit: 1_024, laneLimit: 16)
    let found = try ledger.state.dueWork(search)
    #expect(found.candidates.map(\.id) == [.numbered(count + 1)])
    let lane = try ledger.state.dueWork(inLanes: ["lane"], awaiting: [], search)
    #expect(!lane.candidates.isEmpty || lane.incompleteKinds == ["k"])
    #expect(try ledger.claim(count + 1) == ["started 1"])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func onlyDueWorkIsWaitedFor(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    for number in 8...9 { try ledger.createPromise(number) }
    try ledger.create(1, .at(.second(1_010)), options: .lane())
    try ledger.create(2, .after(.numbered(8), .fulfilled), options: .lane())
    try ledger.create(3, .after(.numbered(9), .failed), options: .lane())
    for number in 4...6 { try ledger.create(number, options: .lane()) }
    #expect(try ledger.claim(4) == ["started 1"])
    #expect(try ledger.finish(4) == "fulfilled")
    // Those that waited are earlier than those that did not.
    ledger.context.now = .second(1_010)
    for number in 8...9 { try ledger.resolve(number, .rejected) }
    #expect(try ledger.claim(6, 5, 3) == ["lane full", "lane full", "lane full"])
    #expect(try ledger.claim(1) == ["started 1"])
    #expect(try ledger.finish(1) == "fulfilled")
    #expect(try ledger.claim(5, 3) == ["lane full", "started 1"])
  }

  @Test func workThatAwaitsAPromiseOfALaterVersionIsNotWaitedFor() throws {
    let ledger = try WorkLedger()
    try ledger.createPromise(9)
    try ledger.create(1, .after(.numbered(9), .any), options: .lane())
    try ledger.create(2, options: .lane())
    try ledger.foldAsLaterVersion(9)
    #expect(try ledger.claim(1, 2) == ["refused unsupportedEvent", "started 1"])
  }

  @Test func workThatALaterVersionRunsCountsToo() throws {
    let ledger = try ledger(.inMemory, count: 3, width: 2)
    try ledger.claim(1)
    try ledger.foldAsLaterVersion(1)
    #expect(try ledger.claim(2, 3) == ["started 1", "lane full"])
  }

  // MARK: Widths

  @Test(arguments: WorkLedger.Form.allCases)
  func theNarrowestWorkDecides(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    for (number, width) in [(1, 3), (2, 3), (3, 1), (4, 3), (5, 9)] {
      try ledger.create(number, options: .lane(width: width))
    }
    // The narrow work waits for the others, and those behind it wait for it.
    #expect(try ledger.claim(1, 2, 3, 4) == ["started 1", "started 1", "lane full", "lane full"])
    for number in 1...2 { #expect(try ledger.finish(number) == "fulfilled") }
    #expect(try ledger.claim(3, 4, 5) == ["started 1", "lane full", "lane full"])
    #expect(try ledger.finish(3) == "fulfilled")
    #expect(try ledger.claim(4, 5) == ["started 1", "started 1"])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func anOperatorMayWidenALane(form: WorkLedger.Form) throws {
    let ledger = try ledger(form, count: 3)
    try ledger.claim(1)
    for number in 1...2 { try amend(number, WorkAmended(options: .lane(width: 2)), in: ledger) }
    #expect(try ledger.claim(2, 3) == ["started 1", "lane full"])
  }

  /// Work that is given up by the command makes room for what comes behind it in the command.
  @Test(arguments: WorkLedger.Form.allCases)
  func workThatIsGivenUpMakesRoomAtOnce(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    var expiring = WorkOptions.lane(width: 2)
    expiring.givesUpAfter = .second(1_100)
    try ledger.create(1, options: expiring)
    for number in 2...3 { try ledger.create(number, options: .lane(width: 2)) }
    try ledger.claim(1)
    #expect(try ledger.finish(1, .failure) == "retrying")
    ledger.context.now = .second(1_100)
    #expect(try ledger.claim(2, 1, 3) == ["started 1", "ended", "started 1"])
  }
}
