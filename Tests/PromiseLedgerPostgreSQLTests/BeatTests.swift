import LedgerModel
import LedgerPostgreSQLTestSupport
import LedgerRuntimeTesting
import LedgerSystem
import Testing

@testable import PromiseLedgerPostgreSQL

/// Who is found dead: only who was seen to be still, for a lease of the observer's own time.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct BeatTests {
  private static let session = SessionID(entityID: EntityID(high: 1, low: 1))

  /// The answers of an observer to looks at these seconds, with these beats.
  private static func findings(_ looks: [(second: Int, beat: Int64)]) -> [Bool] {
    var observer = BeatObserver(lease: .seconds(20))
    return looks.map { observer.note($0.beat, of: session, at: .seconds($0.second)) }
  }

  @Test func aBeatThatStaysTheSameForALeaseIsADeath() {
    let looks = (0...6).map { (second: 5 * $0, beat: Int64(7)) }
    #expect(Self.findings(looks) == [false, false, false, false, true, true, true])
  }

  @Test func anyBeatIsASignOfLife() {
    let looks = (0...6).map { (second: 5 * $0, beat: Int64($0 / 3)) }
    #expect(Self.findings(looks) == Array(repeating: false, count: 7))
  }

  /// The observer was stopped, or could not reach the server.
  @Test func aPauseOfTheObserverIsNobodysDeath() {
    #expect(
      Self.findings([(0, 7), (10_000, 7), (20_000, 7), (20_001, 8)])
        == [false, false, false, false])
  }

  @Test func aLostConnectionStartsTheLeaseAnew() {
    var observer = BeatObserver(lease: .seconds(20))
    for second in 0...3 { _ = observer.note(7, of: Self.session, at: .seconds(5 * second)) }
    observer.forgetAll()
    let isDead = observer.note(7, of: Self.session, at: .seconds(20))
    #expect(!isDead)
  }

  /// As after an outage that was longer than any lease.
  @Test func anOldSignOfLifeIsNoDeath() throws {
    let server = try TestServer.shared.get()
    let place = try server.makePlace()
    // Makes the ledger.
    _ = try PostgreSQLWriter(place)
    try server.addSession(Self.session, to: place, beatAge: "50 minutes")
    let sessions = place.makeSessions()
    let entities = [
      try SessionEntity.sample(Self.session),
      try SessionEntity.sample(SessionID(entityID: EntityID(high: 1, low: 2))),
    ]
    // There is no row of the second.
    for _ in 0..<3 { #expect(try sessions.findings(of: entities) == [.alive, .dead]) }
  }
}

extension SessionEntity {
  /// A session that is open, according to its log.
  fileprivate static func sample(_ id: SessionID) throws -> SessionEntity {
    let opened = SessionOpened(
      role: .app, processID: ThisProcess.id, instance: "", host: "", libraryVersion: "")
    var batch = EventBatch()
    try batch.append(
      NewEvent(
        kind: .sessionOpened, version: 1, time: Timestamp(nanosecondsSinceEpoch: 0),
        subject: id.entityID, payload: opened.encoded, attachment: []))
    let store = InMemoryEventStore()
    _ = try store.append(batch, CommitID(session: id, number: 1), after: .start)
    var state = LedgerState()
    _ = try store.read(after: .start, limit: 1) { (frame) throws(LedgerError) in
      try frame.forEachEvent(after: .start) { (event) throws(LedgerError) in
        try state.apply(event)
      }
    }
    return try #require(state.sessions[id])
  }
}
