import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

/// What expectations find, and what they say.
@Suite(.timeLimit(.minutes(5)))
struct LedgerReactionTests {
  /// A promise with a key, in a process.
  private func numberPromise(_ app: LedgerProcess) async throws -> DurablePromise<Int> {
    try await app.ledger.findOrCreatePromise(key: PromiseKey("number"), of: Int.self)
  }

  /// The reaction to a promise that is fulfilled and consumed.
  private func consumption(
    of promise: DurablePromise<Int>, _ tester: LedgerTester
  ) async throws -> LedgerReaction<Int> {
    try await tester.when {
      try await promise.fulfill(1)
      return try await promise.consume()
    }
  }

  @Test func exactlyTheEventsAreExpected() async throws {
    try await withLedger { tester in
      let app = try await tester.app()
      let promise = try await numberPromise(app)
      try await consumption(of: promise, tester)
        .then(.promiseResolved(promise, .fulfilled(1)), .promiseConsumed(promise))
    }
  }

  @Test func aDifferenceShowsBothSides() async throws {
    try await withLedger { tester in
      let app = try await tester.app()
      let promise = try await numberPromise(app)
      let reaction = try await consumption(of: promise, tester)
      let difference = try #require(
        #expect(throws: EventDifference.self) {
          try reaction.then(
            .promiseCreated(promise), .promiseResolved(promise, .fulfilled(2)),
            .promiseConsumed(promise), fileID: "Tests/Some.swift", line: 7)
        })
      #expect(
        "\(difference)" == """
          Tests/Some.swift:7: other events came than expected (- is missing, + was not expected):
            - promiseCreated of number, type: int
            - promiseResolved of number, outcome: fulfilled with 2
            + promiseResolved of number, outcome: fulfilled with 1
              promiseConsumed of number, delivery: recordedBefore
          """)
    }
  }

  @Test func theOrderCounts() async throws {
    try await withLedger { tester in
      let app = try await tester.app()
      let promise = try await numberPromise(app)
      let reaction = try await consumption(of: promise, tester)
      #expect(throws: EventDifference.self) {
        try reaction.then(.promiseConsumed(promise), .promiseResolved(promise, .fulfilled(1)))
      }
    }
  }

  @Test(arguments: ["missing", "additional", "subject", "value", "error"])
  func everyDifferenceIsFound(what: String) async throws {
    try await withLedger { tester in
      let app = try await tester.app()
      let (promise, other) = (
        try await numberPromise(app), try await app.ledger.createPromise(of: Int.self)
      )
      let failure = StoredError(domain: "chat", code: 403, message: "no")
      let reaction = try await tester.when {
        what == "error" ? try await promise.reject(failure) : try await promise.fulfill(1)
      }
      #expect(throws: EventDifference.self) {
        switch what {
        case "missing":
          try reaction.then(.promiseResolved(promise, .fulfilled(1)), .promiseConsumed(promise))
        case "additional": try reaction.thenNothing()
        case "subject": try reaction.then(.promiseResolved(other, .fulfilled(1)))
        case "value": try reaction.then(.promiseResolved(promise, .fulfilled(2)))
        default:
          try reaction.then(
            .promiseRejected(promise, StoredError(domain: "chat", code: 404, message: "no")))
        }
      }
      if what == "error" { try reaction.then(.promiseRejected(promise, failure)) }
    }
  }

  @Test func otherEventsAreAllowedIfTheTestSaysSo() async throws {
    try await withLedger { tester in
      let app = try await tester.app()
      let promise = try await numberPromise(app)
      let reaction = try await consumption(of: promise, tester)
      try reaction.thenAmongOthers(.promiseConsumed(promise))
      #expect(throws: EventDifference.self) {
        try reaction.thenAmongOthers(.promiseConsumed(promise), .promiseConsumed(promise))
      }
      #expect(try reaction.ignoringEvents().answer == 1)
    }
  }

  @Test func theOtherEventsAreNoDifferenceIfTheyAreAllowed() async throws {
    try await withLedger { tester in
      let app = try await tester.app()
      let promise = try await numberPromise(app)
      let reaction = try await consumption(of: promise, tester)
      let difference = try #require(
        #expect(throws: EventDifference.self) {
          try reaction.thenAmongOthers(
            .promiseConsumed(promise), .promiseAbandoned(promise), fileID: "Tests/Some.swift",
            line: 7)
        })
      #expect(
        "\(difference)" == """
          Tests/Some.swift:7: expected events did not come (- is missing):
              promiseResolved of number, outcome: fulfilled with 1
              promiseConsumed of number, delivery: recordedBefore
            - promiseAbandoned of number
          """)
      #expect(difference.lines.map(\.side) == [.allowed, .both, .expected])
    }
  }

  @Test func equalLabelsAreNumbered() async throws {
    try await withLedger { tester in
      let ledger = try await tester.app().ledger
      var promises: [DurablePromise<Int>] = []
      for label in ["avatar", "avatar", "other", "avatar (2)", nil, "promise 1"] {
        promises.append(try await ledger.createPromise(of: Int.self, label: label))
      }
      let reaction = try await tester.when {
        for promise in promises { try await promise.cancel(reason: "no") }
      }
      let difference = try #require(
        #expect(throws: EventDifference.self) {
          try reaction.then(.promiseAbandoned(promises[0]), .promiseAbandoned(promises[2]))
        })
      func name(_ line: EventDifference.Line) -> String? {
        line.text.split(separator: " of ").last?.split(separator: ",").first.map(String.init)
      }
      let actual = difference.lines.filter { $0.side == .actual }.compactMap(name)
      #expect(
        actual == [
          "avatar (1)", "avatar (\(promises[1].id))", "other", "avatar (2)", "promise 1 (1)",
          "promise 1 (2)",
        ])
      let expected = difference.lines.filter { $0.side == .expected }.compactMap(name)
      #expect(expected == ["avatar (1)", "other"])
    }
  }

  // MARK: Refusals

  @Test func aRefusalIsExpectedByItsCode() async throws {
    try await withLedger { tester in
      let (app, other) = (try await tester.app(), try await tester.appExtension())
      let promise = try await numberPromise(app)
      try await promise.fulfill(1)
      let refused = try await tester.when { try await other.promise(promise).consume() }
      try refused.expectRefused(.roleMayNotConsume)
      #expect(throws: LedgerError.self) { try refused.thenNothing() }
      #expect(throws: LedgerError.self) { try refused.answer }
      let wrong = #expect(throws: RefusalDifference.self) {
        try refused.expectRefused(.notFound, fileID: "Some.swift", line: 7)
      }
      #expect(
        wrong?.description.hasPrefix(
          "Some.swift:7: the command should be refused with notFound, but it threw roleMayNotConsume: "
        )
          == true)

      let accepted = try await tester.when { try await promise.consume() }
      let none = #expect(throws: RefusalDifference.self) {
        try accepted.expectRefused(.alreadyConsumed)
      }
      #expect(none?.description.hasSuffix("but it was not refused.") == true)
    }
  }

  @Test func aRefusalLeavesNoEvents() async throws {
    try await withLedger { tester in
      let app = try await tester.app()
      let promise = try await numberPromise(app)
      let reaction = try await tester.when {
        try await promise.fulfill(1)
        _ = try await promise.consume()
        return try await promise.consume { $0 }
      }
      #expect(throws: EventDifference.self) { try reaction.expectRefused(.alreadyConsumed) }
    }
  }

  @Test func anAnswerThatIsARefusalWritesNothing() async throws {
    try await withLedger { tester in
      let app = try await tester.app()
      let promise = try await numberPromise(app)
      try await promise.fulfill(1)
      let answer = try await tester.when { try await promise.fulfill(2) }.thenNothing().answer
      #expect(!answer.isSuccess)
    }
  }

  // MARK: Exhaustiveness

  @Test func eventsThatNoExpectationNamesAreFound() async throws {
    let error = try #require(
      await #expect(throws: UnnamedEvents.self) {
        try await withLedger { tester in
          let app = try await tester.app()
          let promise = try await numberPromise(app)
          _ = try await tester.when { try await promise.fulfill(1) }
        }
      })
    #expect(error.events == ["promiseResolved of number, outcome: fulfilled with 1"])
    #expect(error.description.contains("LedgerReactionTests.swift:"))
    #expect(error.description.contains("no expectation follows this `when`"))
  }

  @Test(arguments: ["given", "when"])
  func theNextCommandFindsThemToo(next: String) async throws {
    try await withLedger { tester in
      let app = try await tester.app()
      let promise = try await numberPromise(app)
      _ = try await tester.when { try await promise.fulfill(1) }
      let isGiven = next == "given"
      await #expect(throws: UnnamedEvents.self) {
        if isGiven { try await tester.given { () async throws in } }
        if !isGiven { _ = try await tester.when { () async throws in } }
      }
    }
  }

  @Test func anErrorOfTheTestIsNotReplaced() async throws {
    await #expect(throws: ScriptedError.self) {
      try await withLedger { tester in
        _ = try await tester.when { () async throws in }
        throw ScriptedError(text: "stop")
      }
    }
  }

  // MARK: Given

  @Test func eventsOfAnotherLedgerAreTheScene() async throws {
    let (events, promise) = try await withLedger {
      tester -> ([LedgerEvent], DurablePromise<Int>) in
      let app = try await tester.app()
      let promise = try await numberPromise(app)
      let other = try await tester.appExtension()
      try await other.promise(promise).fulfill(1)
      return (try await app.allEvents(), promise)
    }
    try await withLedger { tester in
      try tester.given(events: events)
      #expect(tester.clock.now() == events.last?.time)
      let app = try await tester.app()
      #expect(try await app.allEvents().prefix(events.count).elementsEqual(events))
      let found = try await app.ledger.stalePromises()
      #expect(found.map(\.id) == [promise.id])
      try await tester.when { try await app.promise(promise).consume() }
        .then(.promiseConsumed(promise))
        .expectState { state in
          let record = try state.record(of: promise.id)
          #expect(record?.status == .consumed)
        }
      // Only an empty ledger takes the events of another one.
      #expect(throws: LedgerError.self) { try tester.given(events: events) }
    }
  }

  @Test func aLedgerOfGivenEventsIsWhole() async throws {
    // Its id is not that of every test.
    let other = try TemporaryLedger()
    let ledger = try await other.open()
    _ = try await ledger.createPromise(of: Int.self)
    let end = try await ledger.catchUp()
    var events: [LedgerEvent] = []
    for try await event in ledger.events() {
      events.append(event)
      if event.position == end { break }
    }
    await ledger.close()
    try await withLedger(.files) { tester in
      try tester.given(events: events)
      let ledger = try await tester.app().ledger
      var archive: [UInt8] = []
      let summary = try await ledger.export { archive += $0 }
      #expect(summary.eventCount > events.count)
    }
  }

  @Test func aStateNeedsAProcess() async throws {
    try await withLedger { tester in
      let app = try await tester.app()
      let reaction = try await tester.when { try await app.freeze() }.then(.sessionFrozen(app))
      await #expect(throws: LedgerError.self) { try await reaction.expectState { _ in } }
    }
  }
}

extension LedgerProcess {
  /// The events so far.
  fileprivate func allEvents() async throws -> [LedgerEvent] {
    let end = try await ledger.catchUp()
    var events: [LedgerEvent] = []
    for try await event in ledger.events() {
      events.append(event)
      if event.position == end { break }
    }
    return events
  }
}
