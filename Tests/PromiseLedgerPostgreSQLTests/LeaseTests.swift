import LedgerPostgreSQLFaults
import LedgerPostgreSQLTestSupport
import Testing

/// Sessions that are out of sight for longer than the lease.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct LeaseTests {
  /// One that alone is out of sight is ended once and writes nothing more; an outage for all ends none.
  @Test(arguments: LeaseTrial.allCases)
  func aSessionEndsOnlyIfOthersSawIt(trial: LeaseTrial) async throws {
    #expect(try await trial.run(on: TestServer.shared.get()) == [])
  }
}
