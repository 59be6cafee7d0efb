import LedgerPostgreSQL
import LedgerPostgreSQLTestSupport
import LedgerSystem
import PromiseLedgerPostgreSQL
import Testing

/// A standby is read and not written to.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct StandbyTests {
  @Test func aStandbyIsInspectedAndNotWrittenTo() async throws {
    let cluster = try TestCluster()
    let ledger = try await Ledger.open(
      cluster.place("inspected"), as: .app, configuration: LedgerConfiguration())
    for number in 0..<20 { try await ledger.createPromise(of: Int.self).fulfill(number) }
    let name = "inspector"
    // A standby refuses the isolation level that the connection asks for.
    let options = "options='-c default_transaction_isolation=serializable'"
    let place = try PostgreSQLLedger(
      "inspected", on: "\(cluster.connection()) application_name=\(name) \(options)",
      schema: TestServer.schema)
    let inspector = try await Ledger.inspect(place, prefersStandby: true)
    // Another standby may have confirmed the newest commit.
    let state = try await ledger.state()
    while try await inspector.head < state.position { await Task.yield() }
    #expect(try await inspector.digests().state == state.digest())
    #expect(try await inspector.verify { _ in }.corruptCount == 0)
    #expect(try place.ledgersOfSchema(prefersStandby: true).map(\.name) == ["inspected"])
    #expect(try connections(of: name, to: cluster) == 0, "The primary is inspected.")
    inspector.close()
    await ledger.close()
    try await refuseStandbys(cluster)
  }

  /// The standby has all that the primary has acknowledged, and does not show it.
  @Test func anInspectionReadsThePrimaryUnlessNoHostIsOne() async throws {
    let cluster = try TestCluster()
    let ledger = try await Ledger.open(
      cluster.place("inspected"), as: .app, configuration: LedgerConfiguration())
    _ = try await ledger.createPromise(of: Int.self)
    let both = try PostgreSQLLedger(
      "inspected", on: cluster.connection(toFirstOf: [5_433, 5_432]), schema: TestServer.schema)
    let alone = try PostgreSQLLedger("inspected", on: cluster.nodes[1], schema: TestServer.schema)
    let old = try await ledger.state().position
    while try await (head(of: alone) ?? .start) < old { await Task.yield() }
    try pauseReplay(on: cluster.nodes[1])
    for _ in 0..<20 { _ = try await ledger.createPromise(of: Int.self) }
    #expect(try await head(of: both) == ledger.state().position)
    #expect(try await (head(of: alone) ?? .start) < ledger.state().position)
    await ledger.close()
  }

  /// Lets a standby receive what the primary writes, and not show it.
  private func pauseReplay(on node: String) throws {
    try Connection(ConnectionSettings("\(node) target_session_attrs=any"))
      .run("SELECT pg_wal_replay_pause()")
  }

  /// What an inspection sees; `nil` if the standby does not have the ledger yet.
  private func head(of place: PostgreSQLLedger) async throws -> Position? {
    guard let inspector = try? await Ledger.inspect(place) else { return nil }
    defer { inspector.close() }
    return try await inspector.head
  }

  /// The number of connections of an application to the primary.
  private func connections(of application: String, to cluster: TestCluster) throws -> Int64 {
    try cluster.run(
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1", [.text(application)]
    ).int8(0, 0)
  }

  /// A session that reaches only standbys is told so.
  private func refuseStandbys(_ cluster: TestCluster) async throws {
    for node in cluster.nodes.dropFirst() {
      let place = try PostgreSQLLedger("inspected", on: node, schema: TestServer.schema)
      let error = await #expect(throws: LedgerError.self) {
        try await Ledger.open(place, as: .app, configuration: LedgerConfiguration())
      }
      #expect(error?.code == .unavailable)
      #expect(error?.message.contains("name the host of the primary") == true)
    }
  }
}
