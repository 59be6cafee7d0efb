import LedgerModelTestSupport
import LedgerRuntimeTesting
import Testing

@testable import LedgerModel

/// The rule *The clock of the session that decides counts* of the article *Rules of replay*: the
/// effects of wrong clocks on deadlines, and on the records that compaction removes.
///
/// Times are minutes after the creation of a promise whose deadline is at 60.
@Suite(.timeLimit(.minutes(10))) struct ClockRulesTests {
  private static let farAhead: Int64 = 400 * 24 * 60

  // MARK: Deadlines

  /// A resolve, and its result.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The clocks of other sessions when they wrote earlier events, in this order; each event times
    /// out the promises that are due.
    var events: [Int64] = []
    /// The clock of the resolving session.
    let now: Int64
    let verdict: IdempotencyOracle.Verdict
    let outcome: PromiseOutcomeKind
    let resolvedAt: Int64
  }

  @Test(arguments: [
    Row(
      testDescription: "before the deadline",
      now: 59, verdict: .resolved, outcome: .fulfilled, resolvedAt: 59),
    Row(
      testDescription: "at the deadline",
      now: 60, verdict: .alreadyResolved, outcome: .timedOut, resolvedAt: 60),
    Row(
      testDescription: "the resolving clock is ahead: the promise times out early",
      now: farAhead, verdict: .alreadyResolved, outcome: .timedOut, resolvedAt: 60),
    Row(
      testDescription: "the resolving clock lags: an answer after the deadline still wins",
      now: -600, verdict: .resolved, outcome: .fulfilled, resolvedAt: -600),
  ])
  func theClockOfTheSessionThatDecidesCounts(row: Row) throws {
    try check(row)
  }

  @Test(arguments: [
    Row(
      testDescription: "an event far ahead leaves a later deadline alone", events: [farAhead],
      now: 59, verdict: .resolved, outcome: .fulfilled, resolvedAt: 59),
    Row(
      testDescription: "an event far ahead leaves the deadline itself alone", events: [farAhead],
      now: 60, verdict: .alreadyResolved, outcome: .timedOut, resolvedAt: 60),
    Row(
      testDescription: "times that go up and down leave the deadline alone",
      events: [30, farAhead, -600, 45, -farAhead],
      now: 59, verdict: .resolved, outcome: .fulfilled, resolvedAt: 59),
    Row(
      testDescription: "an event after the deadline decides nothing for a clock that lags",
      events: [61], now: 50, verdict: .resolved, outcome: .fulfilled, resolvedAt: 50),
  ])
  func theTimesOfEventsDecideNothing(row: Row) throws {
    try check(row)
  }

  private func check(_ row: Row) throws {
    let id = PromiseID.numbered(1)
    var ledger = PureLedger(now: .minutes(0))
    for (index, time) in row.events.enumerated() {
      ledger.context.now = .minutes(time)
      try ledger.commit(CreatePromise(.numbered(index + 2)))
    }
    ledger.context.now = .minutes(0)
    try ledger.commit(CreatePromise(id, deadline: .minutes(60)))
    for (index, time) in row.events.enumerated() {
      ledger.context.now = .minutes(time)
      try ledger.commit(CreatePromise(.numbered(index + 102)))
    }
    ledger.context.now = .minutes(row.now)

    #expect(try ledger.commit(ResolvePromise(id)).verdict == row.verdict)

    let resolution = try #require(try ledger.state.promise(id)?.resolution)
    #expect(resolution.outcome == row.outcome)
    #expect(resolution.resolvedAt == .minutes(row.resolvedAt))
    #expect(resolution.fact.time == .minutes(row.now))
    #expect(try ledger.replayed().contents == ledger.state.contents)
  }

  @Test func aTimeOutThatAnotherSessionRecordedCountsForAClockThatLags() throws {
    let id = PromiseID.numbered(1)
    var ledger = PureLedger(now: .minutes(0))
    try ledger.commit(CreatePromise(id, deadline: .minutes(60)))
    ledger.context.now = .minutes(61)
    try ledger.commit(TimeOutDuePromises())
    ledger.context.now = .minutes(30)

    #expect(try ledger.commit(ResolvePromise(id)).verdict == .alreadyResolved)
    #expect(try ledger.state.promise(id)?.resolution?.resolvedAt == .minutes(60))
  }

  // MARK: Retention

  /// The entities that are removed at a time, if they ended one after the other.
  struct Removal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The writers' clocks at the ends, in minutes.
    let ends: [Int64]
    /// The clock of the session that removes records older than 100 minutes.
    let now: Int64
    /// How many of the entities leave, the first ones.
    let removedCount: Int
  }

  static let removals: [Removal] = [
    Removal(
      testDescription: "what is old leaves, what is young stays",
      ends: [0, 50, 150], now: 200, removedCount: 2),
    Removal(
      testDescription: "an end whose time is to come leaves with a later one that is old enough",
      ends: [0, farAhead, 50, 150], now: 200, removedCount: 3),
    Removal(
      testDescription: "an end whose time is to come stays until a later one is old enough",
      ends: [0, farAhead, farAhead, 150], now: 200, removedCount: 1),
    Removal(
      testDescription: "only ends whose times are to come",
      ends: [farAhead, farAhead], now: 200, removedCount: 0),
    Removal(
      testDescription: "an end of a clock that lagged does not take younger ones along",
      ends: [0, 150, -farAhead, 160], now: 200, removedCount: 1),
    Removal(
      testDescription: "an end of a clock that lagged takes along one whose time is to come",
      ends: [farAhead, -farAhead, 150], now: 200, removedCount: 2),
    Removal(
      testDescription: "a clock that lags removes nothing",
      ends: [0, 50, 150], now: -farAhead, removedCount: 0),
    Removal(
      testDescription: "a clock that is ahead removes early",
      ends: [0, 50, 150], now: farAhead, removedCount: 3),
  ]

  @Test(arguments: removals)
  func recordsLeaveByTheClockOfTheSessionThatRemovesThem(row: Removal) throws {
    let subject = try CompactedStore(InMemoryEventStore(), seed: 1, groupCount: 0)
    try end(row, in: subject)
    try subject.fold()
    subject.clock = .minutes(row.now)

    try subject.removeRecords(row.age)

    let left = try (1...row.ends.count).filter {
      try subject.state.promise(.numbered($0)) != nil
    }
    #expect(left == Array((1...row.ends.count).dropFirst(row.removedCount)))
    // The horizon does not lie in the future, where it would call every id old.
    #expect(row.removedCount == 0 || subject.state.horizon.time <= row.age.cutoff)
  }

  @Test(arguments: removals)
  func eventsLeaveByTheClockOfTheSessionThatDeletesThem(row: Removal) throws {
    let subject = try CompactedStore(InMemoryEventStore(), seed: 1, groupCount: 0)
    try end(row, in: subject)
    // The newest event stays always.
    subject.clock = .minutes(row.now)
    try subject.commit(CreatePromise(.numbered(50_000)))
    try subject.fold()

    // Two events make and end each entity. They follow two events that open the ledger, at 0.
    let openingCount = row.age.cutoff > .minutes(0) ? 2 : 0
    #expect(try subject.deleteEvents(row.age) == openingCount + 2 * row.removedCount)
  }

  private func end(_ row: Removal, in subject: CompactedStore) throws {
    for (index, time) in row.ends.enumerated() {
      subject.clock = .minutes(time)
      try subject.commit { decision in
        _ = try decision.run(CreatePromise(.numbered(index + 1)))
        _ = try decision.run(AbandonPromise(id: .numbered(index + 1), reason: ""))
      }
    }
  }

  @Test func manyEndsWhoseTimesAreToComeAreLookedAtTwiceAtMost() throws {
    let store = WatchedStore()
    let subject = try CompactedStore(store, seed: 1, groupCount: 0)
    let count = 2_500
    for (index, time) in [(0, Self.farAhead), (count, 0)] {
      subject.clock = .minutes(time)
      try subject.commit { decision in
        for number in 1...(index == 0 ? count : 1) {
          _ = try decision.run(CreatePromise(.numbered(index + number)))
          _ = try decision.run(AbandonPromise(id: .numbered(index + number), reason: ""))
        }
      }
    }
    try subject.fold(limit: 20_000)

    let age = AgeLimit(cutoff: .minutes(0), now: .minutes(100))
    let reads = try store.counting {
      let plan = try RetentionPlan(subject.state, endedBy: age)
      #expect(plan.removedCount == count + 1)
    }
    // The two walks, each with the entry that begins the next slice.
    #expect(reads.entries < 2 * count + 100)
  }

  @Test func endsOfTwoClocksInTurnAreReadAFewTimesEach() throws {
    let store = WatchedStore()
    let subject = try CompactedStore(store, seed: 1, groupCount: 0)
    let count = 600
    for number in 1...count {
      subject.clock = .minutes(number.isMultiple(of: 2) ? 0 : Self.farAhead)
      try subject.commit { decision in
        _ = try decision.run(CreatePromise(.numbered(number)))
        _ = try decision.run(AbandonPromise(id: .numbered(number), reason: ""))
      }
    }
    try subject.fold(limit: 20_000)

    let age = AgeLimit(cutoff: .minutes(0), now: .minutes(100))
    let reads = try store.counting {
      let plan = try RetentionPlan(subject.state, endedBy: age)
      #expect(plan.removedCount == count)
    }
    #expect(reads.entries < 10 * count)
  }
}

extension ClockRulesTests.Removal {
  fileprivate var age: AgeLimit {
    AgeLimit(cutoff: .minutes(now - 100), now: .minutes(now))
  }
}

extension Timestamp {
  fileprivate static func minutes(_ count: Int64) -> Timestamp {
    Timestamp(nanosecondsSinceEpoch: count * 60_000_000_000)
  }
}
