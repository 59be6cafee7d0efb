import LedgerModel
import LedgerPostgreSQL
import LedgerRuntime
import LedgerSystem
import Synchronization

/// The sessions of a ledger: each raises its beat every few seconds, and others watch it.
final class PostgreSQLSessionRegistry: SessionRegistry {
  private let place: PostgreSQLLedger
  private let pool: ConnectionPool
  private let contents: Mutex<Contents>
  private let wake = WakeSemaphore()

  fileprivate struct Contents {
    /// The number of the ledger, once it is known.
    var ledger: Int32?
    var observer: BeatObserver
    /// The losses of connections at the last look.
    var lossCount = 0
    /// The open sessions of this registry.
    var held: Set<SessionID> = []
    var isBeating = false
    /// When the newest beat of this registry reached the server, if one did.
    var lastBeat = Duration.zero
  }

  convenience init(of place: PostgreSQLLedger) {
    self.init(
      of: place,
      in: ConnectionPool(
        place.settings, place.names, for: .beats(requires: place.neededDurability)))
  }

  /// - Parameter pool: A pool of its own.
  init(of place: PostgreSQLLedger, in pool: ConnectionPool) {
    self.place = place
    self.pool = pool
    contents = Mutex(Contents(observer: BeatObserver(lease: place.lease)))
  }

  deinit { close() }

  /// Closes the connections of a registry that is not used any more.
  func close() { pool.close() }

  // MARK: Sessions of this process

  func begin(_ session: SessionID) throws(LedgerError) -> any SessionHold {
    try run(
      """
      INSERT INTO \(place.names.session) AS s (ledger, session, state, host)
      VALUES ($1, $2, 'alive', $3)
      ON CONFLICT (ledger, session) DO UPDATE
      SET state = 'alive', beat = s.beat + 1, beat_at = now(), host = $3
      """, session.entityID.value, .text(ThisProcess.hostName))
    let starts = contents.withLock { contents in
      contents.held.insert(session)
      defer { contents.isBeating = true }
      return !contents.isBeating
    }
    if starts { try startBeating() }
    return BeatingSession(session, self)
  }

  /// How long a session that freezes or ends waits for the server. Others see later that its beat stopped.
  private static let leavingLimit = Duration.seconds(2)

  fileprivate func freeze(_ session: SessionID) throws(LedgerError) {
    release(session)
    try run(
      """
      UPDATE \(place.names.session) SET state = 'frozen', beat_at = now()
      WHERE ledger = $1 AND session = $2 AND state = 'alive'
      """, session.entityID.value, before: MonotonicClock.now + Self.leavingLimit)
    closeIdleConnections()
  }

  fileprivate func end(_ session: SessionID) {
    release(session)
    // If the server cannot be reached, others find that the beat stopped.
    _ = try? run(
      "DELETE FROM \(place.names.session) WHERE ledger = $1 AND session = $2",
      session.entityID.value, before: MonotonicClock.now + Self.leavingLimit)
    closeIdleConnections()
  }

  /// Closes the connections that no session of this registry needs.
  private func closeIdleConnections() {
    if contents.withLock({ $0.held.isEmpty }) { pool.closeIdle() }
  }

  private func release(_ session: SessionID) {
    contents.withLock { _ = $0.held.remove(session) }
    wake.signal()
  }

  // MARK: Beating

  private func startBeating() throws(LedgerError) {
    do throws(SystemError) {
      // The thread keeps the registry alive as long as a session is open.
      _ = try SystemThread.start(name: "ledger-beat") { self.beat() }
    } catch {
      contents.withLock { $0.isBeating = false }
      throw LedgerError(error, "The thread that shows that sessions are alive cannot be started.")
    }
  }

  private func beat() {
    while true {
      let held = contents.withLock { contents in
        contents.isBeating = !contents.held.isEmpty
        return contents.held
      }
      guard !held.isEmpty else { return pool.closeIdle() }
      // A row that is not there is not made again: others recorded the death of the session. If the server cannot
      // be reached, others cannot see that this beat is missing.
      let isHeard =
        (try? run(
          """
          UPDATE \(place.names.session) SET beat = beat + 1, beat_at = now()
          WHERE ledger = $1 AND session = ANY($2) AND state = 'alive'
          """, .uuidArray(held.map(\.entityID.bytes)))) != nil
      if isHeard { contents.withLock { $0.lastBeat = MonotonicClock.now } }
      _ = wake.wait(timeout: BeatObserver.beatPause)
    }
  }

  // MARK: Sessions of others

  func findings(of sessions: [SessionEntity]) throws(LedgerError) -> [SessionFinding] {
    guard !sessions.isEmpty else { return [] }
    let ids = sessions.map(\.id)
    let rows = try run(
      """
      SELECT s.state, s.beat, s.beat_at < now() - make_interval(secs => $3),
        s.beat_at < now() - interval '1 hour'
          AND pg_postmaster_start_time() < now() - interval '1 hour'
      FROM unnest($2::uuid[]) WITH ORDINALITY AS wanted(session, number)
      LEFT JOIN \(place.names.session) s ON s.ledger = $1 AND s.session = wanted.session
      ORDER BY wanted.number
      """, .uuidArray(ids.map(\.entityID.bytes)), .int8(place.frozenLeaseInSeconds))
    let now = MonotonicClock.now
    let lossCount = pool.lossCount
    return try LedgerError.onServer(place.names) { () throws(PostgreSQLError) in
      try contents.withLock { (contents) throws(PostgreSQLError) in
        if contents.lossCount != lossCount { contents.observer.forgetAll() }
        contents.lossCount = lossCount
        var findings: [SessionFinding] = []
        for (row, session) in sessions.enumerated() {
          findings.append(try contents.finding(of: session, rows, row, at: now))
        }
        return findings
      }
    }
  }

  func deadSessions() -> [SessionID] { [] }

  func removeLeftovers(of sessions: [SessionID]) {
    guard !sessions.isEmpty else { return }
    let (kept, dead) = contents.withLock { contents in
      let others = sessions.filter { !contents.held.contains($0) }
      let dead = others.compactMap { id in contents.observer.beatOfDeath(id).map { (id, $0) } }
      for id in others { contents.observer.forget(id) }
      return (others, dead)
    }
    // What cannot be removed is removed with the next sessions that end.
    _ = try? run(
      """
      DELETE FROM \(place.names.session) s
      WHERE ledger = $1 AND session = ANY($2) AND (state <> 'alive' OR EXISTS (
        SELECT FROM unnest($3::uuid[], $4::bigint[]) AS dead(session, beat)
        WHERE dead.session = s.session AND dead.beat = s.beat))
      """, .uuidArray(kept.map(\.entityID.bytes)),
      .uuidArray(dead.map(\.0.entityID.bytes)), .int8Array(dead.map(\.1)))
  }

  // MARK: Running statements

  /// Runs a statement.
  ///
  /// - Parameter deadline: The time at which it is given up, if there is one.
  @discardableResult
  private func run(
    _ statement: String, _ values: Value..., before deadline: Duration? = nil
  ) throws(LedgerError) -> Rows {
    do throws(LedgerError) {
      return try runOnce(statement, values, before: deadline)
    } catch {
      let isLate = deadline.map { MonotonicClock.now >= $0 } ?? false
      guard error.code == .unavailable, !isLate else { throw error }
      // The connection may be of before a restart of the server.
      return try runOnce(statement, values, before: deadline)
    }
  }

  private func runOnce(
    _ statement: String, _ values: [Value], before deadline: Duration?
  ) throws(LedgerError) -> Rows {
    let connection = try pool.borrow()
    do throws(LedgerError) {
      // A statement that was given up must not take effect after a later one.
      let limits = deadline.map { [LedgerSQL.limitLockWaits(to: $0 - MonotonicClock.now)] } ?? []
      let statement = Statement(statement, [.int4(try ledger(connection))] + values)
      let rows = try LedgerError.onServer(place.names) { () throws(PostgreSQLError) in
        try connection.run(limits + [statement], before: deadline).rows[limits.count]
      }
      pool.giveBack(connection)
      return rows
    } catch {
      pool.giveBackRolledBack(connection)
      throw error
    }
  }

  private func ledger(_ connection: Connection) throws(LedgerError) -> Int32 {
    if let known = contents.withLock({ $0.ledger }) { return known }
    let found = try LedgerEntry.find(place.name, in: place.names, connection).number
    contents.withLock { $0.ledger = found }
    return found
  }
}

extension PostgreSQLSessionRegistry.Contents {
  /// The finding about a session, whose row has its state, its beat, and whether that is older than the lease of a
  /// frozen session, and than any pause.
  ///
  /// After an outage, a session that was silent for that long may be about to beat again. So a registry that holds
  /// sessions, which could end it, waits for the time of a few beats. One that holds none only looks.
  ///
  /// A failover may lose the newest state of a row, because it waits for no standby. So a silent session is frozen if
  /// the log says so.
  fileprivate mutating func finding(
    of session: SessionEntity, _ rows: Rows, _ row: Int, at now: Duration
  ) throws(PostgreSQLError) -> SessionFinding {
    guard !rows.isNull(row, 0) else { return .dead }
    switch rows.text(row, 0) {
    case "frozen": return try rows.bool(row, 2) ? .dead : .frozen
    case "alive":
      if held.contains(session.id) { return .alive }
      let isOld = try rows.bool(row, 3)
      // A registry that holds no sessions sends no beats that it could compare with.
      let isDead = observer.note(
        try rows.int8(row, 1), of: session.id, at: now, heardAt: held.isEmpty ? now : lastBeat,
        lease: isOld ? BeatObserver.shortestLease : nil)
      guard isDead || isOld && held.isEmpty else { return .alive }
      let isLeaseOver = try rows.bool(row, 2)
      return session.status == .frozen && !isLeaseOver ? .frozen : .dead
    default: return .dead
    }
  }
}

/// An open session.
private final class BeatingSession: SessionHold {
  private let session: SessionID
  private let registry: PostgreSQLSessionRegistry

  init(_ session: SessionID, _ registry: PostgreSQLSessionRegistry) {
    self.session = session
    self.registry = registry
  }

  func freeze() throws(LedgerError) { try registry.freeze(session) }
  func end() { registry.end(session) }
}
