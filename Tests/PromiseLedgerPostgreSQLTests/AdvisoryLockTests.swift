import LedgerModel
import LedgerPostgreSQL
import LedgerPostgreSQLFaults
import LedgerPostgreSQLTestSupport
import LedgerSystem
import PromiseLedgerPostgreSQL
import Testing

/// The locks that connections of a session hold: as long as they are needed, and no thread of the caller waits for them.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct AdvisoryLockTests {
  private let server: TestServer

  init() throws {
    server = try TestServer.shared.get()
  }

  /// The role's idle connections end after a second, as those without a lock do.
  @Test func aLockOutlastsTheLimitOfIdleConnections() throws {
    try server.run("CREATE ROLE idle_holder LOGIN IN ROLE ledger")
    try server.run("ALTER ROLE idle_holder SET idle_session_timeout = '1s'")
    let place = try server.makePlace()
    let other = try PostgreSQLWriter(place)
    let writer = try PostgreSQLWriter(server.place(place.name, as: "idle_holder"))
    let hold = try #require(try writer.store.lockForCompaction())
    try awaitTheEndOfAnIdleConnection(as: "idle_holder")
    #expect(try other.store.lockForCompaction() == nil)
    hold.release()
    #expect(try other.store.lockForCompaction() != nil)
  }

  /// Waits until the server ended a connection that was idle from now on, or a minute has passed.
  private func awaitTheEndOfAnIdleConnection(as role: String) throws {
    let idle = try Connection(ConnectionSettings(server.connection(as: role)))
    _ = try idle.run("SELECT 1")
    let pause = WakeSemaphore()
    let connections = "pg_stat_activity WHERE pid = \(idle.serverProcess)"
    for _ in 0..<600 where try server.rowCount(of: connections) > 0 {
      _ = pause.wait(timeout: .milliseconds(100))
    }
    #expect(try server.rowCount(of: connections) == 0)
  }

  /// The caller of an export, which is an actor.
  private actor Caller {
    func export(_ ledger: Ledger) async throws { _ = try await ledger.export { _ in } }
    func signal(_ semaphore: WakeSemaphore) { semaphore.signal() }
  }

  @Test func anExportEndsWithoutBlockingItsCaller() async throws {
    let proxied = try server.makeProxy()
    let ledger = try await Ledger.open(proxied.place(), as: .app)
    let (isUnlocking, isFree) = (WakeSemaphore(), WakeSemaphore())
    let waits = Recorder<Bool>()
    proxied.proxy.setPlan { trip in
      if trip.text.contains("pg_advisory_unlock") {
        isUnlocking.signal()
        waits.add(isFree.wait(timeout: .seconds(10)))
      }
      return .passes
    }
    let caller = Caller()
    async let exported: Void = caller.export(ledger)
    #expect(try await onThread { isUnlocking.wait(timeout: .seconds(60)) })
    await caller.signal(isFree)
    try await exported
    #expect(waits.all == [true])
    await ledger.close()
  }
}
