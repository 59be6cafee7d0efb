import LedgerModel
import LedgerPostgreSQL
import LedgerPostgreSQLFaults
import LedgerPostgreSQLTestSupport
import PromiseLedgerPostgreSQL
import Testing

/// Creating a schema, and what is refused about it.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct SchemaTests {
  private let server: TestServer

  init() throws {
    server = try TestServer.shared.get()
  }

  /// Runs a statement as a user of the server.
  @discardableResult
  private func run(_ sql: String, as user: String = "ledger") throws -> Rows {
    try Connection(ConnectionSettings(server.connection(as: user))).run(sql)
  }

  @Test func aSchemaIsCreatedOnceAlsoByTwoAtATime() async throws {
    let place = try server.place("a", schema: "quoted \"name\"")
    async let other: Void = place.createSchema()
    try await place.createSchema()
    try await other
    try await place.create()
    try await place.create()
    let count = try run("SELECT count(*) FROM \"quoted \"\"name\"\"\".ledger").int8(0, 0)
    #expect(count == 1)
  }

  /// A connection that keeps changes of a schema waiting until it is told to end that.
  private struct Blockade {
    private let connection: Connection

    init(of schema: String, on server: TestServer) throws {
      connection = try Connection(ConnectionSettings(server.connection()))
      try connection.run("SELECT pg_advisory_lock(hashtext($1))", [.text("\"\(schema)\"")])
    }

    func end() throws { try connection.run("SELECT pg_advisory_unlock_all()") }
  }

  /// Both have begun their transactions before the first one creates the schema.
  @Test func twoAtATimeCreateASchemaOnceAlsoIfTheRoleHasAStricterIsolation() async throws {
    let server = try TestServer()
    try server.run("ALTER ROLE ledger SET default_transaction_isolation = 'repeatable read'")
    let place = try server.place("a", schema: "raced")
    let blockade = try Blockade(of: "raced", on: server)
    async let one: Void = place.createSchema()
    async let other: Void = place.createSchema()
    try await onThread {
      try server.awaitWait(
        where: "(SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted) = 2")
    }
    try blockade.end()
    try await one
    try await other
    #expect(try server.rowCount(of: "raced.format") == 1)
  }

  @Test func aLedgerIsCreatedWithTheSettingsOfSessions() async throws {
    let server = try TestServer()
    try server.run("ALTER ROLE ledger SET default_transaction_isolation = serializable")
    try server.run("ALTER ROLE ledger SET synchronous_commit = off")
    // The row of a ledger shows the settings of the transaction that made it.
    for setting in ["transaction_isolation", "synchronous_commit"] {
      try server.run(
        "ALTER TABLE \(TestServer.schema).ledger ADD \(setting) text DEFAULT current_setting('\(setting)')"
      )
    }
    try await server.makePlace().create()
    let row = try server.run(
      "SELECT transaction_isolation, synchronous_commit FROM \(TestServer.schema).ledger")
    #expect(row.text(0, 0) == "read committed")
    #expect(row.text(0, 1) == "on")
  }

  @Test func theOwnerOfASchemaNeedsNoRightToCreateOne() async throws {
    try run("CREATE ROLE tenant LOGIN")
    try run("CREATE SCHEMA made_by_another AUTHORIZATION tenant")
    let place = try server.place("a", schema: "made_by_another", as: "tenant")
    try await place.createSchema()
    try await place.create()
  }

  @Test func aNewerSchemaIsRefused() async throws {
    let place = try server.place("a", schema: "newer")
    try await place.createSchema()
    try run("UPDATE newer.format SET version = version + 1")
    for call in [place.createSchema, place.create] {
      let error = await #expect(throws: LedgerError.self) { try await call() }
      #expect(error?.code == .incompatibleFormat)
    }
  }

  /// The server deletes no row that it publishes and cannot identify.
  @Test func theTablesOfADatabaseMayBePublished() async throws {
    let server = try TestServer()
    try server.run("CREATE PUBLICATION everything FOR ALL TABLES")
    for schema in [TestServer.schema, "published"] {
      let place = try server.place("a", schema: schema)
      for _ in 0..<2 { try await place.createSchema() }
      try await place.create()
    }
    // As a build before this one made it.
    try server.run("ALTER TABLE published.format DROP CONSTRAINT format_pkey")
    try await server.place("a", schema: "published").createSchema()
  }

  @Test func aMissingSchemaIsNamed() async throws {
    let place = try server.place("a", schema: "missing")
    let error = await #expect(throws: LedgerError.self) { try await place.create() }
    #expect(error?.code == .notALedger)
    #expect(error?.message.contains("createSchema") == true)
  }

  @Test func aWriterMayNeitherChangeNorDeleteAnEvent() async throws {
    let place = try server.place("a", schema: "rights")
    try await place.createSchema()
    try await place.create()
    try run("CREATE ROLE writer LOGIN")
    try await place.grant(.writing, to: "writer")
    for sql in ["UPDATE rights.frame SET body = ''", "DELETE FROM rights.frame"] {
      let error = #expect(throws: PostgreSQLError.self) { try run(sql, as: "writer") }
      #expect(error?.state == .missingRight)
    }
    let sameForWriter = try server.place("a", schema: "rights", as: "writer")
    let ledger = try await Ledger.open(
      sameForWriter, as: .appExtension, configuration: LedgerConfiguration())
    _ = try await ledger.createPromise(of: Int.self)
    await ledger.close()
  }

  @Test func durabilityIsRequiredUnlessItIsGivenUp() async throws {
    var place = try server.makePlace()
    place.requiredDurability = .oneDisk
    let error = await #expect(throws: LedgerError.self) {
      try await Ledger.open(place, as: .app, configuration: LedgerConfiguration())
    }
    #expect(error?.code == .notDurable)
  }

  @Test(arguments: [
    "host=/nowhere user=app password=hunter2", "postgresql://app:hunter2@localhost:1/shop",
    "password=hunter2 nonsense", "postgresql://app:hunter2/x@localhost:1/shop",
    "postgres://app:x@hunter2@localhost:1/shop", "postgresql://app:1/hunter2@localhost:1/shop",
  ])
  func noErrorContainsThePassword(connection: String) async throws {
    let error = await #expect(throws: LedgerError.self) {
      try await PostgreSQLLedger("a", on: connection).createSchema()
    }
    let text = "\(String(describing: error)) \(error?.debugDescription ?? "")"
    #expect(!text.contains("hunter2"))
    let place = try? PostgreSQLLedger("a", on: connection)
    var dumped = ""
    dump(place, to: &dumped)
    #expect(!dumped.contains("hunter2"))
  }
}
