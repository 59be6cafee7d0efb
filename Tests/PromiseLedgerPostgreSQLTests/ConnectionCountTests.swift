import LedgerModel
import LedgerPostgreSQL
import LedgerPostgreSQLTestSupport
import LedgerRuntime
import LedgerSystem
import Testing

@testable import PromiseLedgerPostgreSQL

/// The connections that a process has open.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct ConnectionCountTests {
  private let server: TestServer

  init() throws { server = try TestServer.shared.get() }

  /// A ledger whose connections have a name of their own.
  private func place(named name: String) throws -> PostgreSQLLedger {
    var place = try PostgreSQLLedger(
      server.makePlace().name, on: "\(server.connection()) application_name=\(name)",
      schema: TestServer.schema)
    place.requiredDurability = .notSynced
    return place
  }

  /// Waits until a process has no connection; another thread of it may just be closing its own.
  private func hasNoneSoon(_ name: String) async throws -> Bool {
    for _ in 0..<200 {
      let count = try server.rowCount(
        of: "pg_stat_activity WHERE application_name = '\(name)'")
      if count == 0 { return true }
      try await Task.sleep(for: .milliseconds(50))
    }
    return false
  }

  @Test func aFrozenSessionHasNone() async throws {
    let ledger = try await Ledger.open(place(named: "frozen"), as: .app)
    for _ in 0..<2 {
      let promise = try await ledger.createPromise(of: Int.self)
      _ = try await ledger.record(of: promise.id)
      _ = try await ledger.openSessions()
      try await ledger.freeze()
      #expect(try await hasNoneSoon("frozen"))
      try await ledger.unfreeze()
    }
    await ledger.close()
    #expect(try await hasNoneSoon("frozen"))
  }

  @Test func aClosedInspectionHasNone() async throws {
    let place = try place(named: "inspecting")
    let ledger = try await Ledger.open(place, as: .app)
    let inspector = try await Ledger.inspect(place)
    _ = try await inspector.replay().sessionPresences()
    await ledger.close()
    inspector.close()
    #expect(try await hasNoneSoon("inspecting"))
    withExtendedLifetime(inspector) {}
  }

  /// Otherwise it would have none at all if others are faster.
  @Test func aPoolThatGetsNoMoreKeepsWhatItHas() throws {
    try server.run("CREATE ROLE only_one LOGIN CONNECTION LIMIT 1 IN ROLE ledger")
    let settings = try ConnectionSettings(server.connection(as: "only_one"))
    let pool = ConnectionPool(
      settings, try SchemaNames(TestServer.schema), for: .inspection)
    let process = try pool.borrow()
    let number = process.serverProcess
    pool.giveBack(process)
    let error = #expect(throws: LedgerError.self) {
      try pool.retryingOnce(after: [.unavailable]) { () throws(LedgerError) in
        _ = try pool.connect()
      }
    }
    #expect(error?.message.contains("too many connections") == true)
    let again = try pool.borrow()
    #expect(again.serverProcess == number)
    pool.giveBack(again)
    pool.close()
  }
}
