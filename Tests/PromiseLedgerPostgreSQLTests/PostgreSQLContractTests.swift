import LedgerPostgreSQLTestSupport
import LedgerRuntimeTesting
import Testing

/// The contract of stores, on a real server.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct PostgreSQLContractTests {
  @Test(arguments: StoreContract.rules)
  func theStoreKeepsEveryRule(rule: StoreContract.Rule) async throws {
    try await StoreContract(.postgreSQL).check([rule])
  }
}
