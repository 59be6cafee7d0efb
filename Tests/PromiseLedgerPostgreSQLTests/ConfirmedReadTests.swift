import LedgerModel
import LedgerPostgreSQL
import LedgerPostgreSQLTestSupport
import LedgerSystem
import PromiseLedgerPostgreSQL
import Testing

/// A primary that was replaced is still running, and still answers its clients.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct ConfirmedReadTests {
  @Test func aPrimaryThatWasDeposedIsNotRead() throws {
    let cluster = try TestCluster()
    let old = try PostgreSQLLedger(
      "confirmed", on: cluster.nodes[0], schema: TestServer.schema)
    let unconfirmed = try PostgreSQLWriter(old)
    let confirmed = try PostgreSQLWriter(old.confirmingReads(for: .milliseconds(400)))
    // Connected to the old primary as long as the new one is a standby.
    let moving = try PostgreSQLWriter(
      PostgreSQLLedger(
        "confirmed", on: cluster.connection(toFirstOf: [5_433, 5_432]),
        schema: TestServer.schema
      ).confirmingReads(for: .seconds(8)))
    try unconfirmed.append()
    #expect(try moving.store.head() == Position(rawValue: 1))

    try depose(cluster)
    let new = try PostgreSQLWriter(
      PostgreSQLLedger("confirmed", on: cluster.nodes[1], schema: TestServer.schema))
    try new.append()
    #expect(
      try unconfirmed.store.head() == Position(rawValue: 1), "The old primary does not answer.")
    let error = #expect(throws: LedgerError.self) { try confirmed.store.head() }
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains("still is the primary") == true)
    #expect(try moving.store.head() == Position(rawValue: 2))
  }

  @Test func aReadThatCannotBeConfirmedEndsInItsTime() throws {
    let patience = Duration.seconds(4)
    let server = try TestServer(["fsync=on", "full_page_writes=on"])
    let place = try server.makePlace()
    _ = try PostgreSQLWriter(place)
    try server.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
    try server.run("SELECT pg_reload_conf()")
    let writer = try PostgreSQLWriter(place.confirmingReads(for: patience))
    let start = MonotonicClock.now
    let error = #expect(throws: LedgerError.self) {
      try writer.store.view(ViewRequest(eventsAfter: .start))
    }
    #expect(error?.code == .unavailable)
    #expect(MonotonicClock.now - start < patience * 1.5)
  }

  @Test func aServerWithoutAStandbyCannotConfirm() throws {
    let server = try TestServer.shared.get().makePlace().confirmingReads(for: .seconds(1))
    let error = #expect(throws: LedgerError.self) { try PostgreSQLWriter(server) }
    #expect(error?.code == .notDurable)
  }

  /// Promotes a standby, while the other one follows it. The primary is told nothing.
  private func depose(_ cluster: TestCluster) throws {
    let nodes = try cluster.nodes.map { node in
      try Connection(ConnectionSettings("\(node) target_session_attrs=any"))
    }
    let standbyCount = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"
    // Before, so that it never has what the one that is promoted lacks: it could not follow that one any more.
    try nodes[2].run("ALTER SYSTEM SET primary_conninfo = '\(cluster.nodes[1])'")
    try nodes[2].run("SELECT pg_reload_conf()")
    while try nodes[1].run(standbyCount).int8(0, 0) < 1 {}
    try nodes[1].run("SELECT pg_promote()")
    while try nodes[0].run(standbyCount).int8(0, 0) > 0 {}
    while try nodes[1].run(standbyCount).int8(0, 0) < 1 {}
  }
}

extension PostgreSQLLedger {
  fileprivate func confirmingReads(for patience: Duration) -> PostgreSQLLedger {
    var place = self
    place.reads = .confirmed
    place.reconnectionPatience = patience
    return place
  }
}
