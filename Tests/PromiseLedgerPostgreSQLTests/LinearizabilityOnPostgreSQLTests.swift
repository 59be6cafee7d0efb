import LedgerHistories
import LedgerLinearizability
import LedgerPostgreSQLFaults
import LedgerPostgreSQLTestSupport
import LedgerTestSupport
import Testing

/// Processes on several hosts with one ledger: all that they are told has one order that their times allow.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct LinearizabilityOnPostgreSQLTests {
  @Test func whatProcessesAreToldHasOneOrder() async throws {
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    let run = HistoryRun(seed: seed, historyCount: TestAmount.of(40), killInterval: 4) {
      try ServerHistories(on: TestServer(), crashInterval: 20)
    }
    let report = try await run.run()
    print(report.line)
    #expect(report.problems == [], "seed \(seed)")
    for finding in report.result.findings.prefix(3) { Issue.record("seed \(seed): \(finding)") }
    // Otherwise the test shows nothing.
    #expect(report.result.overlapCount > 200)
    #expect(report.killCount > 0)
  }
}
