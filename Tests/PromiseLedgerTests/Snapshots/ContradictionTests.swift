import LedgerModelTestSupport
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Histories that contradict themselves: compaction does not make them look sound.
@Suite(.timeLimit(.minutes(10))) struct ContradictionTests {
  private static let creation = NewEvent.of(LedgerCreated(formatVersion: 0), on: .numbered(77))
  private static let promise = PromiseID.numbered(1).entityID

  /// Events after the first, the last of which cannot be.
  struct History: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let events: [NewEvent]
    let message: String
  }

  private static let causeAtItself: NewEvent = {
    var event = NewEvent.of(PromiseCreated(typeTag: "text"), on: promise)
    event.cause = Position(rawValue: 2)
    return event
  }()

  static let histories = [
    History(
      testDescription: "a promise with the key of another",
      events: [
        creation,
        .of(PromiseCreated(typeTag: "text", key: "other", deadline: .at(1 << 60)), on: promise),
      ], message: "does not follow from its key"),
    History(
      testDescription: "a handler with the key of another",
      events: [
        creation,
        .of(
          HandlerCreated(handlerKind: "greet", key: "other", arguments: StoredArguments.none),
          on: HandlerID.numbered(1).entityID),
      ], message: "does not follow from its key"),
    History(
      testDescription: "a key that can be none",
      events: [
        creation,
        .of(
          PromiseCreated(typeTag: "text", key: "a\n"),
          on: EntityID(namespace: "promise", key: "a\n")),
      ], message: "control character"),
    History(
      testDescription: "a first event that is no creation",
      events: [.of(PromiseCreated(typeTag: "text"), on: promise)],
      message: "A promiseCreated event cannot be at position 1"),
    History(
      testDescription: "a second creation", events: [creation, creation],
      message: "A ledgerCreated event cannot be at position 2"),
    History(
      testDescription: "a creation of a second ledger",
      events: [creation, .of(LedgerCreated(formatVersion: 0), on: .numbered(78))],
      message: "A ledgerCreated event cannot be at position 2"),
    History(
      testDescription: "an effect before its cause", events: [creation, causeAtItself],
      message: "Its cause is at position 2"),
  ]

  @Test(arguments: histories)
  func aContradictionStopsFolding(history: History) async throws {
    var crafted = try CraftedLedger()
    try crafted.commit(history.events)
    let found = try Self.findings(crafted.path)
    #expect(found.contains { $0.message.contains(history.message) }, "\(found)")
    let last = Position(rawValue: UInt64(history.events.count))
    let ledger = try await crafted.temporary.open(
      configuration: CompactionSample.configuration())
    _ = try await CompactionSample.fill(ledger, 8)
    for _ in 0..<2 {
      let report = try await ledger.compact(.everything())
      #expect(report.problem?.contains(history.message) == true, "\(report.problem ?? "none")")
      #expect(report.problemCode == .corrupt)
      #expect(report.snapshotPosition.advanced(by: 1) == last)
      #expect(report.deletedThrough == .start && report.removedRecords == 0)
    }
    await ledger.close()
    let after = try Self.findings(crafted.path)
    #expect(after.contains { $0.message.contains(history.message) }, "\(after)")
  }

  private static func findings(_ path: String) throws -> [VerificationFinding] {
    var findings: [VerificationFinding] = []
    _ = try BlockingInspector(at: path).verify { findings.append($0) }
    return findings
  }

  /// The result of folding by a build without these checks, with its events deleted.
  @Test func aRecordWithTheKeyOfAnotherIsFound() async throws {
    let ledger = try await CompactedLedger([CompactionSample.events])
    let store = try LMDBEventStore(
      opening: LedgerDirectory(ledger.path), options: StoreOptions(sizeLimit: 1 << 30))
    let snapshot = try SnapshotReader(store)
    let fact = LedgerEvent.Trace(
      position: Position(rawValue: 3), time: .at(1), session: .numbered(1))
    let wrong = PromiseEntity(
      id: PromiseID(entityID: Self.promise), created: fact,
      creationPayload: PromiseCreated(typeTag: "text", key: "other").encoded, resolution: nil,
      closing: nil)
    var edit = SnapshotEdit(snapshot.summary)
    try edit.put(.promise(wrong), replacing: nil)
    try store.apply(edit, patience: Patience(.seconds(5)))
    store.close()
    let found = try ledger.findings().filter { $0.message.contains("follow from its key") }
    #expect(found.map(\.subject) == [Self.promise])
    let error = #expect(throws: LedgerError.self) {
      try BlockingInspector(at: ledger.path).archive()
    }
    #expect(error?.message.contains("does not follow from its key") == true)
  }

  // MARK: The id of the ledger

  @Test func theFirstCreationOfALedgerCounts() throws {
    var ledger = PureLedger()
    try ledger.commit(OpenSession(.sample()))
    let id = try #require(ledger.state.ledgerID)
    let other = EntityID.numbered(78)
    try ledger.append([.of(LedgerCreated(formatVersion: 0), on: other)])
    #expect(ledger.state.ledgerID == id)
    let problem = try #require(ledger.state.blocked[other])
    let reason = ReplayProblem.Reason.illegalTransition(
      "ledgerCreated of a ledger that was created before")
    #expect(problem.reason == reason)
    #expect(ledger.state.blocked[id.entityID] == nil)
    try ledger.append([.of(LedgerCreated(formatVersion: 0), on: id.entityID)])
    #expect(ledger.state.blocked[id.entityID] != nil)
    #expect(try ledger.replayed().contents == ledger.state.contents)
  }
}
