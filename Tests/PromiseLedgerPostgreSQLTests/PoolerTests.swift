import LedgerPostgreSQL
import LedgerPostgreSQLTestSupport
import PromiseLedgerPostgreSQL
import Testing

/// PgBouncer stands between sessions and their server.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .enabled(if: TestPooler.isAvailable, "PgBouncer is missing"), .timeLimit(.minutes(10)))
struct PoolerTests {
  @Test func aPoolerThatLendsConnectionsToTransactionsIsRefused() async throws {
    let pooler = try TestPooler(before: TestServer.shared.get(), mode: "transaction")
    let place = try place("lent", behind: pooler)
    let error = await #expect(throws: LedgerError.self) { try await open(place, as: .app) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains("session mode") == true)
  }

  /// What an inspection or an import would set on a lent connection would reach the next client.
  @Test func whatIsRefusedLeavesNoSettings() async throws {
    let server = try TestServer.shared.get()
    let pooler = try TestPooler(before: server, mode: "transaction")
    let place = try place("left", behind: pooler)
    let error = await #expect(throws: LedgerError.self) { try await Ledger.inspect(place) }
    #expect(error?.code == .invalidArgument)
    await #expect(throws: LedgerError.self) { try await open(place, as: .app) }
    try expectUsualSettings(of: pooler)
  }

  /// Looks at several connections of the server, each in a transaction, so that none is lent twice.
  private func expectUsualSettings(of pooler: TestPooler) throws {
    let settings = try ConnectionSettings("\(pooler.connection) target_session_attrs=any")
    let clients = try (0..<4).map { _ in try Connection(settings) }
    for client in clients {
      try client.run("BEGIN")
      for (name, value) in [
        ("default_transaction_read_only", "off"), ("client_min_messages", "notice"),
        ("idle_in_transaction_session_timeout", "0"), ("synchronous_commit", "on"),
      ] {
        #expect(try client.run("SELECT current_setting($1)", [.text(name)]).text(0, 0) == value)
      }
    }
  }

  @Test func aPoolerThatLendsConnectionsToSessionsIsFine() async throws {
    let pooler = try TestPooler(before: TestServer.shared.get(), mode: "session")
    let place = try place("kept", behind: pooler)
    let (app, server) = (try await open(place, as: .app), try await open(place, as: .resolver))
    let promise = try await app.createPromise(of: Int.self)
    async let outcome = promise.consume()
    try await server.promise(id: promise.id, of: Int.self).fulfill(1)
    #expect(try await outcome == 1)
    for ledger in [app, server] { await ledger.close() }
  }

  private func place(
    _ name: String, behind pooler: TestPooler
  ) throws -> PostgreSQLLedger {
    var place = try PostgreSQLLedger(name, on: pooler.connection, schema: TestServer.schema)
    place.requiredDurability = .notSynced
    return place
  }

  private func open(
    _ place: PostgreSQLLedger, as role: SessionRole
  ) async throws -> Ledger {
    try await Ledger.open(place, as: role, configuration: LedgerConfiguration())
  }
}
