import LedgerModel
import LedgerPostgreSQL
import LedgerPostgreSQLFaults
import LedgerPostgreSQLTestSupport
import LedgerRuntime
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
    return looks.map { look in
      let now = Duration.seconds(look.second)
      return observer.note(look.beat, of: session, at: now, heardAt: now)
    }
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
    for second in [0, 5, 10, 15] {
      _ = observer.note(7, of: Self.session, at: .seconds(second), heardAt: .seconds(second))
    }
    observer.forgetAll()
    let isDead = observer.note(7, of: Self.session, at: .seconds(20), heardAt: .seconds(20))
    #expect(!isDead)
  }

  @Test func anObserverThatIsNotHeardFindsNobodyDead() {
    var observer = BeatObserver(lease: .seconds(20))
    let areDead = [(0, 0), (10, 5), (20, 5), (30, 5), (40, 5), (50, 6), (60, 7)].map { now, heard in
      observer.note(7, of: Self.session, at: .seconds(now), heardAt: .seconds(heard))
    }
    #expect(areDead == [false, false, false, false, false, true, true])
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

  /// Something on the server that keeps every session from showing a sign of life.
  enum Obstacle: CaseIterable, Sendable {
    /// Commits wait for a standby, and there is none.
    case noStandby
    /// Another transaction has locked the table of sessions.
    case lockedTable
  }

  @Test(arguments: Obstacle.allCases)
  func nobodyDiesOfWhatKeepsAllSilent(obstacle: Obstacle) async throws {
    let findings = try await onThread { try Self.findings(beside: obstacle) }
    #expect(findings == [.alive])
  }

  /// What a living session finds out about another one in more than a lease.
  private static func findings(beside obstacle: Obstacle) throws -> Set<SessionFinding> {
    let server = try TestServer()
    var place = try server.makePlace()
    place.lease = .seconds(5)
    // Makes the ledger.
    _ = try PostgreSQLWriter(place)
    let other = try SessionEntity.sample(SessionID(entityID: EntityID(high: 1, low: 2)))
    let (observer, observed) = (place.makeSessions(), place.makeSessions())
    let holds = try [observer.begin(session), observed.begin(other.id)]
    let locking = try Connection(ConnectionSettings(server.connection()))
    switch obstacle {
    case .noStandby:
      try server.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
      try server.run("SELECT pg_reload_conf()")
    case .lockedTable:
      _ = try locking.run("BEGIN")
      _ = try locking.run("LOCK TABLE \(TestServer.schema).session IN SHARE MODE")
    }
    let findings = try look(at: other, by: observer, for: place.lease * 2)
    // Otherwise the sessions could not end.
    _ = try locking.run("ROLLBACK")
    try server.run("ALTER SYSTEM RESET synchronous_standby_names")
    try server.run("SELECT pg_reload_conf()")
    for hold in holds { hold.end() }
    return findings
  }

  /// All findings about a session in a time, or until it is found dead.
  private static func look(
    at session: SessionEntity, by sessions: any SessionRegistry, for time: Duration
  ) throws -> Set<SessionFinding> {
    let pause = WakeSemaphore()
    var found: Set<SessionFinding> = []
    let end = MonotonicClock.now + time
    while MonotonicClock.now < end, !found.contains(.dead) {
      found.formUnion(try sessions.findings(of: [session]))
      _ = pause.wait(timeout: .milliseconds(200))
    }
    return found
  }

  /// The statement waits for a lock, and the session leaves without it.
  @Test func aSessionLeavesAlthoughItsRowIsLocked() async throws {
    let server = try TestServer.shared.get()
    let place = try server.makePlace()
    _ = try PostgreSQLWriter(place)
    let (isOver, other) = (WakeSemaphore(), SessionID(entityID: EntityID(high: 1, low: 5)))
    let holds = try [Self.session, other].map { try place.makeSessions().begin($0) }
    let locking = try lockSessions(of: place, on: server)
    // Otherwise they would wait for ever.
    async let isLate = onThread {
      let isLate = !isOver.wait(timeout: .seconds(30))
      try locking.run("ROLLBACK")
      return isLate
    }
    try await onThread {
      #expect(throws: LedgerError.self) { try holds[0].freeze() }
      holds[1].end()
    }
    isOver.signal()
    #expect(try await !isLate)
  }

  /// Begins a transaction that has locked the rows of a ledger's sessions.
  private func lockSessions(
    of place: PostgreSQLLedger, on server: TestServer
  ) throws -> Connection {
    let connection = try Connection(ConnectionSettings(server.connection()))
    try connection.run("BEGIN")
    try connection.run(
      """
      SELECT FROM \(TestServer.schema).session s JOIN \(TestServer.schema).ledger l USING (ledger)
      WHERE name = $1 FOR UPDATE OF s
      """, [.text(place.name)])
    return connection
  }

  /// A server that seems to have been up for a day.
  private static func oldServer() throws -> TestServer {
    let server = try TestServer()
    try server.run("CREATE SCHEMA old")
    try server.run(
      """
      CREATE FUNCTION old.pg_postmaster_start_time() RETURNS timestamptz LANGUAGE sql
      RETURN now() - interval '1 day'
      """)
    try server.run("ALTER ROLE ledger SET search_path = old, pg_catalog")
    return server
  }

  @Test func silenceOfAnHourIsADeath() async throws {
    let server = try Self.oldServer()
    let place = try server.makePlace()
    _ = try PostgreSQLWriter(place)
    let (old, back) = (
      try SessionEntity.sample(SessionID(entityID: EntityID(high: 1, low: 2))),
      try SessionEntity.sample(SessionID(entityID: EntityID(high: 1, low: 3)))
    )
    for session in [old, back] {
      try server.addSession(session.id, to: place, beatAge: "2 hours")
    }
    // Those who only look are told at once.
    #expect(try place.makeSessions().findings(of: [old, back]) == [.dead, .dead])
    // A session that could end them waits whether they are back.
    let sessions = place.makeSessions()
    let hold = try sessions.begin(Self.session)
    let isBack = place.makeSessions()
    #expect(try sessions.findings(of: [old, back]) == [.alive, .alive])
    let held = try isBack.begin(back.id)
    let findings = try await onThread {
      try Self.look(at: old, by: sessions, for: .seconds(60))
    }
    #expect(findings == [.alive, .dead])
    #expect(try sessions.findings(of: [back]) == [.alive])
    sessions.removeLeftovers(of: [old.id])
    #expect(try place.makeSessions().findings(of: [old]) == [.dead])
    let count = try server.run(
      """
      SELECT count(*) FROM \(TestServer.schema).session
      WHERE beat_at < now() - interval '1 hour'
      """
    ).int8(0, 0)
    #expect(count == 0)
    for hold in [hold, held] { hold.end() }
  }

  /// A failover may lose the state of the row, but not the log.
  @Test(arguments: [(86_400, SessionFinding.frozen), (60, .dead)])
  func aFrozenSessionWhoseRowIsOlderMayStayAway(
    lease: Int, finding: SessionFinding
  ) async throws {
    let server = try TestServer.shared.get()
    var place = try server.makePlace()
    place.lease = .seconds(5)
    place.frozenLease = .seconds(lease)
    _ = try PostgreSQLWriter(place)
    let frozen = try SessionEntity.sample(
      SessionID(entityID: EntityID(high: 1, low: 4)), isFrozen: true)
    try server.addSession(frozen.id, to: place, beatAge: "50 minutes")
    let sessions = place.makeSessions()
    let hold = try sessions.begin(Self.session)
    let findings = try await onThread {
      try Self.look(at: frozen, by: sessions, for: .seconds(15))
    }
    #expect(findings == [.alive, finding])
    hold.end()
  }

  @Test func aFrozenSessionMayStayAwayForItsLease() throws {
    let server = try TestServer.shared.get()
    var place = try server.makePlace()
    _ = try PostgreSQLWriter(place)
    let frozen = try SessionEntity.sample(Self.session)
    try server.addSession(frozen.id, to: place, beatAge: "50 minutes")
    try place.makeSessions().begin(frozen.id).freeze()
    for lease in [place.frozenLease, .seconds(Int64.max)] {
      place.frozenLease = lease
      #expect(try place.makeSessions().findings(of: [frozen]) == [.frozen])
    }
    place.frozenLease = .seconds(-1)
    #expect(try place.makeSessions().findings(of: [frozen]) == [.dead])
  }
}

extension SessionEntity {
  /// A session that is open, according to its log.
  fileprivate static func sample(
    _ id: SessionID, isFrozen: Bool = false
  ) throws -> SessionEntity {
    let opened = SessionOpened(
      role: .app, processID: ThisProcess.id, instance: "", host: "", libraryVersion: "")
    var batch = EventBatch()
    try batch.append(
      NewEvent(
        kind: .sessionOpened, version: 1, time: Timestamp(nanosecondsSinceEpoch: 0),
        subject: id.entityID, payload: opened.encoded, attachment: []))
    if isFrozen {
      try batch.append(
        NewEvent(
          kind: .sessionFrozen, version: 1, time: Timestamp(nanosecondsSinceEpoch: 0),
          subject: id.entityID, payload: SessionFrozen().encoded, attachment: []))
    }
    let store = InMemoryEventStore()
    _ = try store.append(batch, CommitID(session: id, number: 1), after: .start)
    var state = LedgerState()
    _ = try store.read(after: .start, limit: batch.count) { (frame) throws(LedgerError) in
      try frame.forEachEvent(after: .start) { (event) throws(LedgerError) in
        try state.apply(event)
      }
    }
    return try #require(state.sessions[id])
  }
}
