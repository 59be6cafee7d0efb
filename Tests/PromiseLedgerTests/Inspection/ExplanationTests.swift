import LedgerModelTestSupport
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// Explanations of a ledger in use, and of its files.
@Suite(.timeLimit(.minutes(5)))
struct ExplanationTests {
  private let lab: WorkLedger

  init() throws { lab = try WorkLedger() }

  /// A promise and work that awaits it, as a session and an inspector explain them.
  @Test(arguments: [false, true])
  func sessionsAndInspectorsExplainAlike(isFolded: Bool) async throws {
    let ledger = try await lab.open()
    let promise = try await ledger.createPromise(of: Int.self)
    let work = try await promise.then(ScriptedWork.self)
    _ = try await ledger.engine.submit(CreateHandler(.numbered(1)))
    if isFolded { try await ledger.compact(.foldOnly) }
    let inspector = try await Ledger.inspect(at: lab.temporary.path)
    let own = try await ledger.explanation(of: work.id)
    #expect(own?.reasons.map(\.name) == ["awaitsPromise"])
    #expect(own?.reasons == (try await inspector.explanation(of: work.id)?.reasons))
    let awaited = try await ledger.explanation(of: promise.id)
    #expect(awaited?.reasons.map(\.name) == ["awaitsResolution", "awaitedByWork"])
    #expect(awaited?.reasons == (try await inspector.explanation(of: promise.id)?.reasons))
    let handler = HandlerID.numbered(1)
    let waiting = try await ledger.explanation(of: handler)
    #expect(waiting?.reasons.map(\.name) == ["notCalled"])
    #expect(waiting?.reasons == (try await inspector.explanation(of: handler)?.reasons))
    #expect(try await ledger.explanation(of: PromiseID.numbered(9)) == nil)
    #expect(try await inspector.explanation(of: HandlerID.numbered(9)) == nil)
    await ledger.close()
    inspector.close()
  }

  /// A store whose clock is an hour ahead of the host's.
  private final class StoreAhead: ForwardingStore {
    let store = InMemoryEventStore()

    func now() -> Timestamp { Timestamp.now + .seconds(3_600) }
  }

  @Test func whatIsDueIsJudgedByTheTimeOfTheLedger() async throws {
    let store = StoreAhead()
    let ledger = try await Ledger.open(
      { () throws(LedgerError) in store }, UnwatchedSessions(), as: .app)
    let work = try await ledger.start(ScriptedWork(), at: .now + .seconds(1_800))
    let reasons = try await ledger.explanation(of: work.id)?.reasons
    #expect(reasons?.first?.name.hasPrefix("due") == true, "\(reasons ?? [])")
    await ledger.close()
  }

  @Test func whatIsDueIsJudgedByTheTimeOfTheAnswer() async throws {
    let clock = ManualLedgerClock()
    let lab = try WorkLedger(clock: clock)
    let ledger = try await lab.open()
    let work = try await ledger.start(ScriptedWork(), at: clock.now() + .seconds(60))
    try await ledger.freeze()
    async let explanation = ledger.explanation(of: work.id)
    for _ in 0..<1_000 { await Task.yield() }
    clock.advance(by: .seconds(60))
    try await ledger.unfreeze()
    let reasons = try await explanation?.reasons
    #expect(reasons?.first?.name.hasPrefix("due") == true, "\(reasons ?? [])")
    await ledger.close()
  }

  @Test func aSessionThatEndsLeavesWorkOrphaned() async throws {
    let ledger = try await lab.open()
    let work = try await ledger.start(ScriptedWork())
    let path = lab.temporary.path
    func states() throws -> [WorkStanding.State] {
      var states: [WorkStanding.State] = []
      try BlockingInspector(at: path).replay().forEachWork(at: .now) { record, standing in
        #expect(record.id == work.id)
        states.append(standing.state)
        return true
      }
      return states
    }
    #expect(try states() == [.due])
    try await ledger.freeze()
    #expect(try states() == [.orphaned])
    let inspector = try await Ledger.inspect(at: path)
    let frozen = try await inspector.explanation(of: work.id)
    #expect(frozen?.reasons.map(\.name) == ["dueWithoutSession"])
    try await ledger.unfreeze()
    #expect(try states() == [.due])
    await ledger.close()
    #expect(try states() == [.orphaned])
    inspector.close()
  }

  /// The log alone does not tell whether a process is there; the lock of its session does.
  @Test func theLockOfASessionTellsWhetherItsProcessIsThere() throws {
    var crafted = try CraftedLedger()
    let (session, work) = (SessionID.numbered(1), PromiseID.numbered(1))
    let creation = PromiseCreated(
      typeTag: "int", lifetime: .untilSettled, source: .work(.init(kind: "k", trigger: .now)))
    try crafted.commit([
      .of(LedgerCreated(formatVersion: 0), on: .numbered(77)),
      .of(SessionOpened.sample(), on: session.entityID), .of(creation, on: work.entityID),
      .of(WorkStarted(attempt: 1), on: work.entityID),
    ])
    let replayed = try BlockingInspector(at: crafted.path).replay()
    func finding() throws -> [String] {
      var found = try replayed.explanation(of: work, at: .now)?.reasons.map(\.name) ?? []
      try replayed.forEachWork(at: .now) { _, standing in
        #expect(standing.state == .running && standing.session == session)
        found.append("\(standing.presence.map { "\($0)" } ?? "")")
        return true
      }
      return found
    }
    #expect(try finding() == ["runsInLostProcess", "gone"])
    let lock = try SessionLock(LedgerDirectory(crafted.path), session)
    #expect(try finding() == ["runs", "alive"])
    try lock.freeze()
    #expect(try finding() == ["runsInFrozenSession", "frozen"])
  }

  /// More work than one slice of a list, some of it folded.
  @Test func allWorkIsVisitedInTheOrderOfItsCreation() async throws {
    let ledger = try await lab.open()
    var ids: [PromiseID] = []
    for number in 0..<40 {
      ids.append(try await ledger.start(ScriptedWork()).id)
      if number == 20 { try await ledger.compact(.foldOnly) }
      if number % 10 == 5 { try await ledger.cancelWork(ids.removeLast()) }
      // Its newest event does not move it.
      if [25, 35].contains(number) { try await ledger.parkWork(ids[number - 22]) }
    }
    var seen: [PromiseID] = []
    let replayed = try await ledger.state()
    try replayed.forEachWork(at: .now) { record, _ in
      seen.append(record.id)
      return true
    }
    #expect(seen == ids && ids.count == 36)
    var first: [PromiseID] = []
    try replayed.forEachWork(at: .now) { record, _ in
      first.append(record.id)
      return first.count < 3
    }
    #expect(first == Array(ids.prefix(3)))
    await ledger.close()
  }
}
