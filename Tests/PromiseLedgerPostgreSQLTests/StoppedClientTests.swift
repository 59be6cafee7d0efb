import LedgerModel
import LedgerPostgreSQLTestSupport
import LedgerSystem
import PromiseLedgerPostgreSQL
import Testing

/// A client that stands still for longer than the lease, and comes back.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct StoppedClientTests {
  /// The ledger, with the shortest lease.
  private static func open(_ name: String, on connection: String) async throws -> Ledger {
    var place = try PostgreSQLLedger(name, on: connection, schema: TestServer.schema)
    place.requiredDurability = .notSynced
    place.lease = .seconds(5)
    var configuration = LedgerConfiguration()
    configuration.instance = "\(ThisProcess.id)"
    return try await Ledger.open(place, as: .app, configuration: configuration)
  }

  /// What the other process does: it stops, and must not write once it is back.
  private static func stopAndComeBack(_ name: String, on connection: String) async throws {
    let ledger = try await open(name, on: connection)
    _ = try await ledger.createPromise(of: Int.self, label: "before")
    StoppedProcess.stopThis()
    let error = await #expect(throws: LedgerError.self) {
      try await ledger.createPromise(of: Int.self, label: "after")
    }
    #expect(error?.code == .sessionEnded)
    await ledger.close()
  }

  @Test func itsSessionIsEndedOnceAndItWritesNothingMore() async throws {
    let server = try TestServer.shared.get()
    let (name, connection) = (try server.makePlace().name, server.connection())
    let ledger = try await Self.open(name, on: connection)
    async let child = #expect(processExitsWith: .success) {
      [name = name as String, connection = connection as String] in
      try await StoppedClientTests.stopAndComeBack(name, on: connection)
    }
    var opened: SessionOpened?
    for try await event in ledger.events() {
      if let other = try event.decode(as: SessionOpened.self), other.processID != ThisProcess.id {
        opened = other
      }
      guard let closed = try event.decode(as: SessionClosed.self) else { continue }
      #expect(closed.reason == .died)
      break
    }
    StoppedProcess.resume(try #require(opened).processID)
    _ = await child
    let labels = try await ledger.unconsumedPromises().map(\.label)
    #expect(labels == ["before"])
    let ends = try await ledger.openSessions().map(\.id)
    #expect(ends == [ledger.session])
    await ledger.close()
  }
}
