import LedgerModel
import LedgerPostgreSQL
import LedgerPostgreSQLTestSupport
import LedgerSystem
import PromiseLedgerPostgreSQL
import Testing

/// Schemas, rights, time limits and clocks of a server that are not as a session needs them.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct BadServerTests {
  private let server: TestServer

  init() throws {
    server = try TestServer.shared.get()
  }

  private func open(_ place: PostgreSQLLedger) async throws -> Ledger {
    try await Ledger.open(place, as: .app, configuration: LedgerConfiguration())
  }

  /// A new schema with the ledger "a", and that ledger as a new role sees it.
  private func place(
    in schema: String, grant access: PostgreSQLLedger.Access?, to role: String
  ) async throws -> PostgreSQLLedger {
    let place = try server.place("a", schema: schema)
    try await place.createSchema()
    try await place.create()
    try server.run("CREATE ROLE \(role) LOGIN")
    if let access { try await place.grant(access, to: role) }
    return try server.place("a", schema: schema, as: role)
  }

  // MARK: The schema

  @Test(arguments: [
    ("older", "DELETE FROM older.format", "createSchema"),
    ("later", "UPDATE later.format SET version = version + 1", "Update the library"),
  ])
  func aSchemaOfAnotherVersionIsRefused(
    schema: String, change: String, remedy: String
  ) async throws {
    let place = try server.place("a", schema: schema)
    try await place.createSchema()
    try await place.create()
    try server.run(change)
    let uses: [@Sendable () async throws -> Void] = [
      { _ = try await open(place) }, { _ = try await Ledger.inspect(place) }, place.create,
    ]
    for use in uses {
      let error = await #expect(throws: LedgerError.self) { try await use() }
      #expect(error?.code == .incompatibleFormat)
      #expect(error?.message.contains(remedy) == true)
    }
  }

  // MARK: Rights

  @Test(arguments: [nil, PostgreSQLLedger.Access.reading])
  func aRoleWithoutTheRightToWriteIsRefused(access: PostgreSQLLedger.Access?) async throws {
    let name = access == nil ? "no_rights" : "only_reads"
    let place = try await place(in: name, grant: access, to: name)
    let error = await #expect(throws: LedgerError.self) { _ = try await open(place) }
    #expect(error?.code == .permissionDenied)
    #expect(error?.message.contains("PostgreSQLLedger.grant") == true)
    guard access != nil else { return }
    try await Ledger.inspect(place).close()
  }

  @Test func aWriterIsToldWhoMayCreateALedger() async throws {
    _ = try await place(in: "creation", grant: .writing, to: "no_creator")
    let other = try server.place("b", schema: "creation", as: "no_creator")
    let error = await #expect(throws: LedgerError.self) { _ = try await open(other) }
    #expect(error?.code == .permissionDenied)
    #expect(error?.message.contains("PostgreSQLLedger.create") == true)
  }

  // MARK: Time limits

  @Test func aCancelledStatementWritesNothingAndTheSessionGoesOn() async throws {
    let place = try await place(in: "hurried", grant: .writing, to: "hurried")
    try server.run("ALTER ROLE hurried SET statement_timeout = '1s'")
    try appendBesideALock(of: "hurried.frame", to: place)
  }

  /// Another transaction holds a table for longer than the role's limit.
  private func appendBesideALock(of table: String, to place: PostgreSQLLedger) throws {
    let writer = try PostgreSQLWriter(place)
    let head = try writer.store.beginCommit(Patience(.seconds(60))).head
    let other = try Connection(ConnectionSettings(server.connection()))
    try other.run("BEGIN")
    try other.run("LOCK TABLE \(table) IN SHARE MODE")
    let error = #expect(throws: LedgerError.self) { try writer.tryToAppend(after: head) }
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains("statement_timeout") == true)
    writer.store.endCommit()
    try other.run("ROLLBACK")
    #expect(try writer.store.head() == head)
    try writer.append()
    #expect(try writer.store.head() == head.advanced(by: 1))
  }

  /// The server ends idle connections of the role, also the one on which a session is told of changes.
  @Test func aSessionWhoseConnectionsWereIdleGoesOn() async throws {
    let place = try await place(in: "idle", grant: .writing, to: "idler")
    try server.run("ALTER ROLE idler SET idle_session_timeout = '1s'")
    let ledger = try await open(place)
    let promise = try await ledger.createPromise(of: Int.self)
    try waitUntilTheServerEnded("idler")
    try await promise.fulfill(7)
    #expect(try await promise.consume() == 7)
    await ledger.close()
  }

  /// Waits until all connections that a role has now are ended.
  private func waitUntilTheServerEnded(_ role: String) throws {
    let activity = "FROM pg_stat_activity WHERE usename = $1"
    let newest = try server.run(
      "SELECT count(*), max(backend_start)::text \(activity)", [.text(role)])
    #expect(try newest.int8(0, 0) > 0)
    let pause = WakeSemaphore()
    for _ in 0..<600 {
      let left = try server.run(
        "SELECT count(*) \(activity) AND backend_start <= $2::text::timestamptz",
        [.text(role), .text(newest.text(0, 1))])
      if try left.int8(0, 0) == 0 { return }
      _ = pause.wait(timeout: .milliseconds(100))
    }
    Issue.record("The server did not end the idle connections of \(role).")
  }

  // MARK: Warnings and refusals

  /// A warning has the same state as one about a standby.
  @Test func aWarningOfATriggerIsNoLostStandby() throws {
    let server = try TestServer()
    let place = try server.makePlace()
    let writer = try PostgreSQLWriter(place)
    try writer.append()
    try server.run(
      """
      CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE WARNING 'seen'; RETURN NEW; END $$
      """)
    try server.run(
      """
      CREATE TRIGGER warning BEFORE UPDATE ON \(TestServer.schema).ledger
      FOR EACH ROW EXECUTE FUNCTION warn()
      """)
    try writer.append()
    #expect(try server.log(of: place) == writer.acknowledged)
    #expect(writer.acknowledged.count == 2)
  }

  @Test func aServerThatRefusesWritesHasWrittenNothing() throws {
    let server = try TestServer()
    var place = try server.makePlace()
    place.reconnectionPatience = .milliseconds(200)
    let writer = try PostgreSQLWriter(place)
    try writer.append()
    try server.run("ALTER SYSTEM SET default_transaction_read_only = on")
    try server.run("SELECT pg_reload_conf()")
    let error = #expect(throws: LedgerError.self) {
      // The first of them may come before the server knows of the setting.
      for _ in 0..<500 { try writer.append() }
    }
    #expect(error?.code == .unavailable)
  }

  /// The server ends a connection that sends too much at once.
  @Test func aCommitThatIsTooLargeIsRefused() async throws {
    var place = try server.makePlace()
    place.largestCommitByteCount = 100_000
    let ledger = try await open(place)
    let promise = try await ledger.createPromise(of: String.self)
    let error = await #expect(throws: LedgerError.self) {
      try await promise.fulfill(String(repeating: "large", count: 40_000))
    }
    #expect(error?.code == .payloadTooLarge)
    try await promise.fulfill("small")
    #expect(try await promise.consume() == "small")
    await ledger.close()
  }

  // MARK: Clocks

  /// The server's clock seems to be a year ahead, or behind, as to a client whose own clock is wrong.
  @Test(arguments: [("ahead", 1), ("behind", -1)])
  func timeIsThatOfTheServer(name: String, years: Int) async throws {
    let place = try await place(in: name, grant: .writing, to: name)
    try server.run("CREATE SCHEMA clock_\(name)")
    try server.run(
      """
      CREATE FUNCTION clock_\(name).clock_timestamp() RETURNS timestamptz LANGUAGE sql
      RETURN pg_catalog.clock_timestamp() + interval '\(365 * years) days'
      """)
    try server.run("GRANT USAGE ON SCHEMA clock_\(name) TO \(name)")
    try server.run("ALTER ROLE \(name) SET search_path = clock_\(name), pg_catalog")
    let shift = Duration.seconds(365 * 86_400 * years)
    let before = SystemLedgerClock().now() + shift
    let ledger = try await open(place)
    // By the clock of this process, it is a year away from its deadline, or a year late.
    let now = ledger.now
    #expect(now >= before + .seconds(-1) && now <= SystemLedgerClock().now() + shift + .seconds(1))
    let promise = try await ledger.createPromise(of: Int.self, deadline: now + .seconds(86_400))
    let record = try #require(try await promise.record)
    #expect(record.created.time >= before + .seconds(-1))
    #expect(record.created.time <= SystemLedgerClock().now() + shift + .seconds(1))
    try await promise.fulfill(7)
    #expect(try await promise.consume() == 7)
    await ledger.close()
  }
}
