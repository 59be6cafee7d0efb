import LedgerModel
import LedgerPostgreSQL
import LedgerPostgreSQLTestSupport
import PromiseLedgerPostgreSQL
import Testing

/// A standby is promoted while the old primary lives on, as one that stood still for a while does.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct OldPrimaryTests {
  /// New connections go to the new primary, and a session still has one to the old.
  @Test func aConnectionToTheOldPrimaryDoesNotEndASession() throws {
    let cluster = try TestCluster(["synchronous_standby_names="])
    let place = try PostgreSQLLedger(
      "moved", on: cluster.connection(toFirstOf: [5_433, 5_432]), schema: TestServer.schema)
    let (reader, writer) = (try PostgreSQLWriter(place), try PostgreSQLWriter(place))
    try writer.append()
    #expect(try reader.store.head() == Position(rawValue: 1))
    let standby = try Connection(
      ConnectionSettings("\(cluster.nodes[1]) target_session_attrs=any"))
    // The table may not be there yet.
    let frameCount = "SELECT count(*) FROM \(TestServer.schema).frame"
    while (try? standby.run(frameCount).int8(0, 0)) ?? 0 == 0 {}
    try standby.run("SELECT pg_promote()")

    let other = try PostgreSQLWriter(place)
    try other.append()
    for store in [reader.store, writer.store] {
      // The view keeps the connection that the store has, so that it opens another.
      let heads = try store.withView { (view) throws(LedgerError) in
        [try view.head(), try store.head()]
      }
      #expect(heads.map(\.rawValue) == [1, 2], "One of the two shows the old primary.")
    }
    #expect(try reader.store.head() == Position(rawValue: 2))
    try writer.append()
    #expect(writer.acknowledged.keys.map(\.rawValue).sorted() == [1, 3])
    #expect(try reader.store.head() == Position(rawValue: 3))
  }
}
