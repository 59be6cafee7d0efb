import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

/// Scenarios that are killed at every commit.
@Suite(.timeLimit(.minutes(5)))
struct CrashPointsTests {
  private static let key = PromiseKey.sample("order")

  @Test func everyCommitIsTriedTwice() async throws {
    let report = try await CrashPoints().run { tester in
      let app = try await tester.app()
      let order = try await app.ledger.findOrCreatePromise(key: Self.key, of: Int.self)
      try await order.fulfill(1)
    }
    // The session opens, the promise is created, and it is settled.
    #expect(report.commitCount == 3)
    #expect(report.crashCount == 6)
    #expect(report.endState == ["promise order: resolved, fulfilled with 1"])
  }

  @Test func aPromiseWithoutAKeyIsFoundTwice() async throws {
    let difference = try #require(
      await #expect(throws: CrashDifference.self) {
        _ = try await CrashPoints().run { tester in
          let app = try await tester.app()
          try await app.ledger.createPromise(of: Int.self, label: "order").fulfill(1)
        }
      })
    // Just after the promise was created, before it is settled.
    #expect(difference.position == Position(rawValue: 3))
    #expect(!difference.losesCommit)
    #expect(difference.expected == ["promise order: resolved, fulfilled with 1"])
    #expect(
      difference.actual == ["promise order: pending", "promise order: resolved, fulfilled with 1"])
    #expect(difference.events.last?.contains("promiseCreated of") == true)
    let text = "\(difference)"
    #expect(text.contains("just after the commit that ended at position 3"))
    #expect(text.contains("  + promise order: pending"))
  }

  @Test func anErrorAfterACrashIsFound() async throws {
    let difference = try #require(
      await #expect(throws: CrashDifference.self) {
        _ = try await CrashPoints().run { tester in
          let app = try await tester.app()
          let answer = try await app.ledger.createPromiseIfAbsent(key: Self.key, of: Int.self)
          guard case .created(let order) = answer else { throw ScriptedError(text: "again") }
          try await order.fulfill(1)
        }
      })
    #expect(difference.error is ScriptedError)
    #expect("\(difference)".contains("It then threw "))
  }

  /// What is behind a `when` is checked in the run without a crash, but its error counts in all.
  @Test func anErrorOfAnExpectedCommandIsFoundAfterACrash() async throws {
    let difference = try #require(
      await #expect(throws: CrashDifference.self) {
        _ = try await CrashPoints().run(
          { Notes() },
          scenario: { tester, server in
            let app = try await tester.app()
            let order = try await app.ledger.findOrCreatePromise(key: Self.key, of: Int.self)
            try await tester.when {
              guard server.lines.isEmpty else { throw ScriptedError(text: "paid already") }
              server.add("paid")
              try await order.fulfill(1)
            }.then(.promiseResolved(order, .fulfilled(1)))
          }, observing: { $0.lines })
      })
    #expect(difference.error is ScriptedError)
  }

  @Test func codeOfAProcessThatEndedDoesNotGoOnBehindAnExpectation() async throws {
    let report = try await CrashPoints().run(
      { Notes() },
      scenario: { tester, server in
        let app = try await tester.app()
        let order = try await app.ledger.findOrCreatePromise(key: Self.key, of: Int.self)
        guard try await order.record?.status == .pending else { return server.add("mailed") }
        let reaction = try await tester.when { try await order.fulfill(1) }
        server.add("mailed")
        try reaction.then(.promiseResolved(order, .fulfilled(1)))
      }, observing: { $0.lines })
    #expect(report.endState.last == "mailed" && report.crashCount == 6)
  }

  /// Its newest events are not there to be described.
  @Test func aCrashAfterACompactionIsFollowedByTheRestOfTheProgram() async throws {
    let difference = await #expect(throws: CrashDifference.self) {
      _ = try await CrashPoints().run { tester in
        let app = try await tester.app()
        var policy = CompactionPolicy()
        policy.eventRetention = .zero
        policy.minimumEventCount = 0
        for _ in 0..<3 { _ = try await app.ledger.findOrCreatePromise(key: Self.key, of: Int.self) }
        _ = try await app.ledger.compact(policy)
        try await app.ledger.createPromise(of: Int.self, label: "order").fulfill(1)
      }
    }
    #expect(difference?.actual.count == (difference?.expected.count ?? 0) + 1)
  }

  /// There is no moment after a commit that fails.
  @Test func aCrashThatDoesNotHappenIsCounted() async throws {
    let report = try await CrashPoints().run { tester in
      try tester.plan([.fail(.append, number: 2, with: .ioFailure)])
      let app = try await tester.app()
      _ = try? await app.ledger.findOrCreatePromise(key: Self.key, of: Int.self)
      _ = try await app.ledger.findOrCreatePromise(key: Self.key, of: Int.self)
    }
    #expect(report.commitCount == 3)
    #expect(report.crashCount == 5 && report.missedCrashCount == 1)
  }

  @Test func aPlanOfTheRunThatCrashedIsForgotten() async throws {
    let report = try await CrashPoints().run { tester in
      let gate = FaultGate()
      try tester.plan([.delay(.append, number: 3, until: gate)])
      let app = try await tester.app()
      async let opened: Void = gate.open()
      let order = try await app.ledger.findOrCreatePromise(key: Self.key, of: Int.self)
      await opened
      try await order.fulfill(1)
    }
    #expect(report.crashCount == 6 && report.missedCrashCount == 0)
  }

  /// A scenario that does not do the same in each run.
  @Test(arguments: [true, false])
  func anErrorBeforeTheCrashIsFound(isBeforeFirstCommit: Bool) async throws {
    let runs = Mutex(0)
    let failure = try #require(
      await #expect(throws: FailureBeforeCrash.self) {
        _ = try await CrashPoints().run { tester in
          let number = runs.withLock { runs in
            runs += 1
            return runs
          }
          if isBeforeFirstCommit, number > 1 { throw ScriptedError(text: "again") }
          let app = try await tester.app()
          // The sixth run is the first that is to end at the second commit.
          if number > 5 { throw ScriptedError(text: "again") }
          let order = try await app.ledger.findOrCreatePromise(key: Self.key, of: Int.self)
          try await order.fulfill(1)
        }
      })
    #expect(failure.error is ScriptedError)
    #expect(failure.commitNumber == (isBeforeFirstCommit ? 1 : 2))
    #expect(failure.losesCommit)
    #expect("\(failure)".contains("just before commit \(isBeforeFirstCommit ? 1 : 2)."))
  }

  // MARK: Joints

  private static let lifetimes: [PromiseCreated.Lifetime] = [.untilConsumed, .untilSettled]

  /// It is found while it is pending, and also when its outcome still has to be consumed.
  @Test(arguments: lifetimes, [true, false])
  func aJointWithoutAKeyIsFoundTwice(
    lifetime: PromiseCreated.Lifetime, isSettled: Bool
  ) async throws {
    let difference = try #require(
      await #expect(throws: CrashDifference.self) {
        _ = try await CrashPoints().run { tester in
          let app = try await tester.app()
          let order = try await app.ledger.findOrCreatePromise(key: Self.key, of: Int.self)
          _ = try await app.ledger.all([order], lifetime: lifetime, label: "all")
          if isSettled { try await order.fulfill(1) }
        }
      })
    let line = "promise all: \(isSettled ? "resolved, fulfilled with [1]" : "pending")"
    #expect(difference.expected.filter { $0 == line }.count == 1)
    #expect(difference.actual.filter { $0 == line }.count == 2)
  }

  /// Each run settles both, and each of them has the same value in all runs.
  @Test(arguments: [PromiseCreated.Joint.Rule.any, .race])
  func anotherInputThatWinsIsFound(rule: PromiseCreated.Joint.Rule) async throws {
    let difference = try #require(
      await #expect(throws: CrashDifference.self) {
        _ = try await CrashPoints().run(
          { Notes() },
          scenario: { tester, runs in
            runs.add("run")
            let ledger = try await tester.app().ledger
            let first = try await ledger.findOrCreatePromise(key: .sample("first"), of: Int.self)
            let second = try await ledger.findOrCreatePromise(key: .sample("second"), of: Int.self)
            switch rule {
            case .race: _ = try await ledger.race([first, second], key: Self.key)
            default: _ = try await ledger.any([first, second], key: Self.key)
            }
            let isFirst = runs.lines.count == 1
            if isFirst { try await first.fulfill(1) }
            try await second.fulfill(2)
            if !isFirst { try await first.fulfill(1) }
          }, observing: { _ in [] })
      })
    for (lines, value) in [(difference.expected, 1), (difference.actual, 2)] {
      #expect(
        lines == [
          "promise first: resolved, fulfilled with 1",
          "promise order: resolved, fulfilled with \(value)",
          "promise second: resolved, fulfilled with 2",
        ])
    }
  }

  @Test func openWorkAndItsOutcomeHaveALine() async throws {
    let report = try await CrashPoints().run { tester in
      var handlers = HandlerRegistry()
      try handlers.register(ScriptedWork.self) { ScriptedWork.Script { _, _ in 7 } }
      let worker = try await tester.worker(handlers)
      let ended = try await worker.ledger.start(
        ScriptedWork(), key: Self.key, lifetime: .untilConsumed)
      _ = try await tester.run(worker, until: ended)
      _ = try await worker.ledger.start(
        ScriptedWork(), key: .sample("later"),
        at: Timestamp(nanosecondsSinceEpoch: 4_000_000_000_000_000_000))
    }
    #expect(
      report.endState == ["promise later: pending", "promise order: resolved, fulfilled with 7"])
  }

  @Test func aChildIsNamedWithoutTheIDOfItsWork() async throws {
    var handlers = HandlerRegistry()
    try handlers.register(ScriptedWork.self) {
      ScriptedWork.Script { _, call in
        _ = try await call.promise("answer", of: Int.self)
        return 7
      }
    }
    let registry = handlers
    try await withLedger { tester in
      let worker = try await tester.worker(registry)
      let work = try await worker.ledger.start(ScriptedWork(), key: Self.key)
      _ = try await tester.run(worker, until: work)
      let lines = try await CrashPoints().endState(worker.ledger)
      #expect(lines.count == 2 && lines.last == "promise order: resolved, fulfilled with 7")
      #expect(lines.first?.hasPrefix("promise order/answer/#1: ") == true, "\(lines)")
    }
  }

  /// Otherwise, the answers to two of them could be exchanged without a difference.
  @Test func childrenOfSeveralWorksAreToldApart() async throws {
    var handlers = HandlerRegistry()
    try handlers.register(ScriptedWork.self) {
      ScriptedWork.Script { work, call in
        if work.name == nil {
          _ = try await call.value(
            of: call.start(ScriptedWork.self, ["name": "child"], name: "inner"))
        }
        _ = try await call.promise("answer", of: Int.self)
        return 7
      }
    }
    let registry = handlers
    try await withLedger { tester in
      let worker = try await tester.worker(registry)
      for key in ["order/1", "order/2", nil] {
        let work = try await worker.ledger.start(
          ScriptedWork(), key: key.map(PromiseKey.sample), label: "without a key")
        _ = try await tester.run(worker, until: work)
      }
      let lines = try await CrashPoints().endState(worker.ledger)
      let names = lines.map { line in String(line.prefix { $0 != ":" }) }
      let children = ["", "/answer/#1", "/inner/#1", "/inner/#1/answer/#1"]
      let expected = ["order/1", "order/2", "without a key"].flatMap { name in
        children.map { "promise \(name)\($0)" }
      }
      #expect(names.sorted() == expected.sorted())
    }
  }

  // MARK: Handlers

  /// A scenario in which an extension answers the app through a handler.
  @Sendable private static func answer(
    _ tester: LedgerTester, _ server: Notes, usesKey: Bool
  ) async throws {
    var handlers = HandlerRegistry()
    try handlers.register(AvatarAnswered.self) {
      let hook = AnswerHook()
      hook.set { if !usesKey || !server.lines.contains("answered") { server.add("answered") } }
      return hook
    }
    let (app, ext) = (try await tester.app(handlers), try await tester.appExtension(handlers))
    let removal = try await app.ledger.findOrCreatePromise(key: key, of: Void.self)
    let answer = try await app.ledger.createHandler(
      AvatarAnswered.self, ["removal": removal], key: HandlerKey("answer"))
    if try await removal.record?.status == .pending {
      try await ext.handler(answer.handler).call()
    }
    if try await removal.record?.status == .resolved { try await removal.consume() }
  }

  @Test func aHandlerIsVerified() async throws {
    let report = try await CrashPoints().run(
      { Notes() }, scenario: { try await Self.answer($0, $1, usesKey: true) },
      observing: { $0.lines })
    #expect(
      report.endState == [
        "handler avatar-answered answer: finished, last run: returned",
        "promise order: consumed, fulfilled", "answered",
      ])
  }

  /// What code does outside of the ledger happens again, unless it has a key: the ledger alone does not show it.
  @Test func anEffectOutsideOfTheLedgerIsFoundTwice() async throws {
    let difference = try #require(
      await #expect(throws: CrashDifference.self) {
        _ = try await CrashPoints().run(
          { Notes() }, scenario: { try await Self.answer($0, $1, usesKey: false) },
          observing: { $0.lines })
      })
    // The code ran, and its end was lost.
    #expect(difference.losesCommit)
    #expect(difference.actual == difference.expected + ["answered"])
    #expect(difference.events.last?.contains("handlerCallStarted") == true)
  }

  // MARK: Work

  @Test(arguments: [true, false])
  func workIsVerified(isRepeatable: Bool) async throws {
    let points = CrashPoints()
    let scenario = { @Sendable (tester: LedgerTester, runs: Notes) in
      var handlers = HandlerRegistry()
      try handlers.register(ScriptedWork.self) {
        ScriptedWork.Script { _, call in
          runs.add("run")
          let number = isRepeatable ? 1 : runs.lines.count
          return try await call.step("one") { _ in number } + number
        }
      }
      let worker = try await tester.worker(handlers)
      let promise = try await worker.ledger.start(ScriptedWork(), key: Self.key)
      _ = try await tester.run(worker, until: promise)
    }
    do {
      let report = try await points.run({ Notes() }, scenario: scenario, observing: { _ in [] })
      #expect(isRepeatable)
      #expect(report.endState == ["promise order: resolved, fulfilled with 2"])
      #expect(report.crashCount == 2 * report.commitCount)
    } catch let difference as CrashDifference {
      #expect(!isRepeatable)
      #expect(difference.actual.count == 1)
    }
  }

  // MARK: Limits

  @Test(arguments: [(0, 0), (2, 4), (100, 6)])
  func theCrashesAreLimited(limit: Int, count: Int) async throws {
    var points = CrashPoints()
    points.maximumCommitCount = limit
    points.endState = { ledger in ["\(ledger.role)"] }
    let report = try await points.run { tester in
      let app = try await tester.app()
      try await app.ledger.createPromise(of: Int.self).fulfill(1)
    }
    #expect(report.crashCount == count)
    #expect(report.endState == ["app"])
  }

  @Test func theExpectationsOfAScenarioAreCheckedOnce() async throws {
    let report = try await CrashPoints().run { tester in
      let app = try await tester.app()
      let order = try await app.ledger.findOrCreatePromise(key: Self.key, of: Int.self)
      try await tester.when { try await order.fulfill(1) }
        .then(.promiseResolved(order, .fulfilled(1)))
    }
    #expect(report.crashCount == 6)
    await #expect(throws: EventDifference.self) {
      _ = try await CrashPoints().run { tester in
        try await tester.when { _ = try await tester.app() }.thenNothing()
      }
    }
  }

  @Test func filesAreVerifiedToo() async throws {
    var points = CrashPoints()
    points.storage = .files
    let report = try await points.run { tester in
      let app = try await tester.app()
      let order = try await app.ledger.findOrCreatePromise(key: Self.key, of: Int.self)
      try await order.fulfill(1)
    }
    #expect(report.crashCount == 6)
  }
}

extension PromiseKey {
  /// A key that is known to be valid.
  fileprivate static func sample(_ text: String) -> PromiseKey {
    guard let key = try? PromiseKey(text) else { preconditionFailure("The key is too long.") }
    return key
  }
}
