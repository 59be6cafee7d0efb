import LedgerModelTestSupport
import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// Promises that other promises settle, as an app uses them.
@Suite(.timeLimit(.minutes(5)))
struct JoinedPromiseTests {
  private let lab: WorkLedger

  init() throws {
    lab = try WorkLedger()
  }

  private func promises(_ count: Int, in ledger: Ledger) async throws -> [DurablePromise<Int>] {
    try await ledger.batch { batch in
      var promises: [DurablePromise<Int>] = []
      for _ in 0..<count { promises.append(try batch.createPromise(of: Int.self)) }
      return promises
    }
  }

  // MARK: Values

  @Test func allHasTheValuesInTheOrderOfThePromises() async throws {
    let ledger = try await lab.open()
    let inputs = try await promises(3, in: ledger)
    let all = try await ledger.all(inputs)
    for (number, input) in inputs.enumerated().reversed() { try await input.fulfill(number) }
    #expect(try await all.outcome == .fulfilled([0, 1, 2]))
    // A handle from the id knows how the values are encoded.
    #expect(try await ledger.promise(id: all.id, of: [Int].self).consume() == [0, 1, 2])
    let record = try #require(try await all.record)
    #expect(record.joint?.rule == .all)
    #expect(record.joint?.inputs == inputs.map(\.id))
    #expect(record.outcomeKind == .fulfilled)
    #expect(record.outcome == nil)
  }

  @Test func aFailureRejectsAllAndIsAnOutcomeOfAllSettled() async throws {
    let ledger = try await lab.open()
    let inputs = try await promises(4, in: ledger)
    let (all, settled) = (try await ledger.all(inputs), try await ledger.allSettled(inputs))
    let error = StoredError(domain: "d", code: 7, message: "m")
    try await inputs[1].reject(error)
    #expect(try await all.outcome == .rejected(error))
    try await inputs[2].cancel(reason: "no need")
    try await inputs[3].abandon(reason: "lost")
    try await inputs[0].fulfill(5)
    let expected: [PromiseOutcome<Int>] = [
      .fulfilled(5), .rejected(error), .cancelled(reason: "no need"), .cancelled(reason: "lost"),
    ]
    #expect(try await settled.outcome == .fulfilled(expected))
    let again = try ledger.promise(id: settled.id, of: [PromiseOutcome<Int>].self)
    #expect(try await again.outcome == .fulfilled(expected))
  }

  /// Without a key, nothing is left of it.
  @Test func anInputWhoseRecordWasRemovedIsNamed() async throws {
    let clock = ManualLedgerClock()
    let lab = try WorkLedger(clock: clock)
    let ledger = try await lab.open()
    let inputs = try await promises(2, in: ledger)
    let all = try await ledger.all(inputs)
    for (number, input) in inputs.enumerated() {
      try await input.fulfill(number)
      #expect(try await input.consume() == number)
      clock.advance(by: .seconds(3_600))
    }
    #expect(try await all.consume() == [0, 1])
    var policy = CompactionPolicy()
    policy.recordRetention = .seconds(5_400)
    try await ledger.compact(policy)
    #expect(try await inputs[0].record == nil)
    await expectError(.recordRemoved) { try await all.outcome }
    await ledger.close()
  }

  @Test func anyAndRaceHaveTheValueOfTheFirst() async throws {
    let ledger = try await lab.open()
    let inputs = try await promises(3, in: ledger)
    let (any, race) = (try await ledger.any(inputs), try await ledger.race(inputs))
    let raceOfRaces = try await ledger.race([race, any])
    try await inputs[2].reject(StoredError(domain: "d", message: "m"))
    try await inputs[1].fulfill(8)
    #expect(try await any.outcome == .fulfilled(8))
    #expect(try await any.record?.joint?.chosenInput == inputs[1].id)
    #expect(try await race.outcome == .rejected(StoredError(domain: "d", message: "m")))
    #expect(try await raceOfRaces.outcome == .rejected(StoredError(domain: "d", message: "m")))
  }

  @Test func anyOfFailuresIsRejectedWithTheFirstOfThem() async throws {
    let ledger = try await lab.open()
    let inputs = try await promises(70, in: ledger)
    let any = try await ledger.any(inputs)
    for input in inputs.reversed() {
      try await input.reject(StoredError(domain: "d", message: "\(input == inputs[69])"))
    }
    guard case .rejected(let error) = try await any.outcome else {
      Issue.record("it is not rejected")
      return
    }
    #expect(error.message == "None of the promises was fulfilled. The first failure was: true")
  }

  @Test func valuesThatAreNotJSONAreJoined() async throws {
    let ledger = try await lab.open()
    let done = [
      try await ledger.createPromise(of: Void.self), try await ledger.createPromise(of: Void.self),
    ]
    let bytes = try await ledger.createPromise(of: [UInt8].self)
    let (all, settled) = (try await ledger.all(done), try await ledger.allSettled([bytes]))
    for promise in done { try await promise.fulfill(()) }
    try await bytes.fulfill([0, 255])
    #expect(try await all.consume().count == 2)
    #expect(try await settled.outcome == .fulfilled([.fulfilled([0, 255])]))
    let again = try ledger.promise(id: all.id, codec: PayloadCodec<Void>.void.all)
    #expect(try await again.consume().count == 2)
    #expect(try await ledger.all([DurablePromise<Int>]()).outcome == .fulfilled([]))
  }

  /// The name of their type does not tell them from the outcomes of `allSettled`.
  @Test(arguments: [1, 65])
  func valuesThatAreOutcomesAreJoined(count: Int) async throws {
    let ledger = try await lab.open()
    let inputs = try await ledger.batch { batch in
      try (0..<count).map { _ in try batch.createPromise(of: PromiseOutcome<Int>.self) }
    }
    let (all, settled) = (try await ledger.all(inputs), try await ledger.allSettled(inputs))
    for (number, input) in inputs.enumerated() { try await input.fulfill(.fulfilled(number)) }
    let values = (0..<count).map(PromiseOutcome.fulfilled)
    #expect(try await all.outcome == .fulfilled(values))
    #expect(try await settled.outcome == .fulfilled(values.map(PromiseOutcome.fulfilled)))
    let again = try ledger.promise(id: all.id, of: [PromiseOutcome<Int>].self)
    #expect(try await again.outcome == .fulfilled(values))
  }

  @Test func anOutcomeIsReadAsItWasWritten() throws {
    let outcomes: [PromiseOutcome<String>] = [
      .fulfilled("a"), .rejected(StoredError(domain: "d", message: "m")), .cancelled(reason: "r"),
      .timedOut,
    ]
    let codec = try PayloadCodec<[PromiseOutcome<String>]>.standard()
    #expect(try codec.decode(codec.encode(outcomes)) == outcomes)
    #expect(codec.typeTag == "[outcome<string>]")
  }

  // MARK: Many

  @Test(arguments: [64, 65, 200, 64 * 64 + 1])
  func manyPromisesAreDividedIntoGroups(count: Int) async throws {
    let ledger = try await lab.open()
    var inputs: [DurablePromise<Int>] = []
    for start in stride(from: 0, to: count, by: 1_000) {
      inputs += try await promises(min(1_000, count - start), in: ledger)
    }
    let (all, race) = (try await ledger.all(inputs), try await ledger.race(inputs))
    #expect(try await all.record?.joint?.isGrouped == (count > 64))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, input) in inputs.enumerated() where number != 40 {
        group.addTask { try await input.fulfill(number) }
      }
      try await group.waitForAll()
    }
    #expect(try await all.record?.status == .pending)
    try await inputs[40].fulfill(40)
    #expect(try await all.outcome == .fulfilled(Array(0..<count)))
    #expect(try await race.record?.outcomeKind == .fulfilled)
  }

  /// Their groups are settled in the order in which they are created.
  @Test func theFirstOfManyPromisesCountsInWhateverGroupItIs() async throws {
    let ledger = try await lab.open()
    let inputs = try await promises(130, in: ledger)
    try await inputs[129].reject(StoredError(domain: "d", code: 1, message: "the first"))
    try await inputs[70].fulfill(70)
    try await inputs[0].fulfill(0)
    try await inputs[1].reject(StoredError(domain: "d", code: 2, message: "the second"))
    #expect(try await ledger.any(inputs).outcome == .fulfilled(70))
    guard case .rejected(let error) = try await ledger.race(inputs).outcome,
      case .rejected(let same) = try await ledger.all(inputs).outcome
    else {
      Issue.record("not rejected")
      return
    }
    #expect(error.message == "the first" && same.message == "the first")
  }

  /// Each joint looks up all of its inputs, and other writers wait meanwhile.
  @Test func aCommitCreatesFewJoints() async throws {
    let store = WatchedStore()
    let ledger = try await Ledger.open(
      { () throws(LedgerError) in store }, UnwatchedSessions(), as: .app,
      configuration: LedgerConfiguration())
    // 33 groups and the joint of them.
    var inputs: [DurablePromise<Int>] = []
    for _ in 0..<3 { inputs += try await promises(11 * 64, in: ledger) }
    let commitCount = store.commitCount
    let all = try await ledger.all(inputs)
    #expect(store.commitCount - commitCount >= 4)
    #expect(try await all.record?.joint?.isGrouped == true)
    await ledger.close()
  }

  @Test func aKeyFindsTheJointAgain() async throws {
    let ledger = try await lab.open()
    let inputs = try await promises(70, in: ledger)
    let key = try PromiseKey("album")
    let first = try await ledger.all(inputs, key: key)
    let digest = try await ledger.logDigest()
    #expect(try await ledger.all(inputs, key: key) == first)
    #expect(try await ledger.logDigest() == digest)
    await #expect(throws: LedgerError.self) { try await ledger.all(inputs.reversed(), key: key) }
    await #expect(throws: LedgerError.self) { try await ledger.any(inputs, key: key) }
  }

  @Test func impossibleJointsAreRefused() async throws {
    let ledger = try await lab.open()
    let none: [DurablePromise<Int>] = []
    let missing = try ledger.promise(id: PromiseKey("missing").promiseID, of: Int.self)
    let other = try await TemporaryLedger().open().createPromise(of: Int.self)
    func code(_ body: () async throws -> DurablePromise<Int>) async -> LedgerError.Code? {
      await #expect(throws: LedgerError.self) { try await body() }?.code
    }
    #expect(await code { try await ledger.race(none) } == .invalidArgument)
    #expect(await code { try await ledger.any(none) } == .invalidArgument)
    #expect(await code { try await ledger.any([missing]) } == .notFound)
    #expect(await code { try await ledger.any([other]) } == .invalidArgument)
    let joint = try await ledger.any([try await ledger.createPromise(of: Int.self)])
    await #expect(throws: LedgerError.self) { try await joint.fulfill(1) }
  }

  // MARK: Work

  @Test func workContinuesAJoint() async throws {
    let ledger = try await lab.open { work, _ in work.value ?? work.failure.map { _ in -1 } ?? -2 }
    let inputs = try await promises(2, in: ledger)
    let any = try await ledger.any(inputs)
    let (then, recovered) = (
      try await any.then(ScriptedWork.self), try await any.recover(with: ScriptedWork.self)
    )
    try await running(LedgerRunner(ledger)) {
      try await inputs[1].fulfill(6)
      #expect(try await then.outcome == .fulfilled(6))
      #expect(try await recovered.outcome == .fulfilled(6))
    }
    #expect(try await recovered.record?.work?.attemptCount == 0)
  }

  @Test func workThatStartsManyWaitsForAllOfThem() async throws {
    let ledger = try await lab.open { work, call in
      guard work.name == nil else { return Int(work.name ?? "") ?? -1 }
      let children = try await call.startAll(
        ScriptedWork.self, (1...100).map { ["name": "\($0)"] })
      #expect(try await call.value(of: call.race(children)) > 0)
      return try await call.value(of: call.all(children)).reduce(0, +)
    }
    let promise = try await ledger.start(ScriptedWork())
    let sum = try await running(LedgerRunner(ledger)) { try await promise.outcome }
    #expect(sum == .fulfilled(5_050))
  }

  @Test func workMayStartManyTwice() async throws {
    let ledger = try await lab.open { work, call in
      guard work.name == nil else { return Int(work.name ?? "") ?? -1 }
      let first = try await call.startAll(ScriptedWork.self, (1...3).map { ["name": "\($0)"] })
      let second = try await call.startAll(ScriptedWork.self, (4...7).map { ["name": "\($0)"] })
      let values = try await call.value(of: call.all(first + second))
      #expect(values == Array(1...7))
      // A later attempt finds the same ones.
      guard call.attempt > 1 else { throw ScriptedError(text: "again") }
      return values.reduce(0, +)
    }
    let policy = try WorkRetryPolicy(firstDelay: .zero, longestDelay: .zero)
    let promise = try await ledger.start(
      ScriptedWork(), options: WorkOptions(retryPolicy: policy))
    #expect(try await running(LedgerRunner(ledger)) { try await promise.outcome.get() } == 28)
    #expect(try await ledger.openWork().isEmpty)
  }

  @Test func muchIsStartedTogether() async throws {
    let ledger = try await lab.open { work, _ in Int(work.name ?? "") ?? -1 }
    let numbers = Array(1...150)
    let keys = try numbers.map { try PromiseKey("number \($0)") }
    let lane = try WorkLane("numbers", width: 3)
    func start() async throws -> [DurablePromise<Int>] {
      try await ledger.startAll(
        ScriptedWork.self, numbers.map { ["name": "\($0)"] }, keys: keys,
        options: WorkOptions(lane: lane))
    }
    let all = try await ledger.all(try await start())
    #expect(try await start().count == 150)
    #expect(
      try await running(LedgerRunner(ledger)) { try await all.outcome } == .fulfilled(numbers))
    await #expect(throws: LedgerError.self) {
      try await ledger.startAll(ScriptedWork.self, [["name": "a"]], keys: [])
    }
  }

  // MARK: Keeping

  @Test func theValuesAreKeptAsLongAsTheJointIsNeeded() async throws {
    let ledger = try await lab.open()
    let inputs = try await promises(70, in: ledger)
    let all = try await ledger.all(inputs, lifetime: .untilConsumed)
    for (number, input) in inputs.enumerated() {
      try await input.fulfill(number)
      _ = try await input.consume()
    }
    try await ledger.compact(.everything())
    #expect(try await inputs[0].record != nil)
    #expect(try await all.consume() == Array(0..<70))
    try await ledger.compact(.everything())
    #expect(try await inputs[0].record == nil)
  }
}
