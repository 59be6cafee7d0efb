import LedgerHistories
import LedgerTestSupport
import PromiseLedgerTesting
import Testing

extension CrashTests {
  /// Processes that run work and are killed or stopped meanwhile.
  @Suite(.timeLimit(.minutes(60)))
  struct WorkKillTests {
    @Test func workIsDoneOnceHoweverOftenItsProcessesAreKilled() async throws {
      let temporary = try TemporaryLedger()
      let seed = UInt64.random(in: 0...UInt64(UInt32.max))
      print("work kill loop with seed \(seed)")
      let loop = WorkKillLoop(path: temporary.path, seed: seed, workCount: TestAmount.of(400))
      let report = try await loop.run()
      print(report.line)
      #expect(report.findings.isEmpty, "seed \(seed)")
      // Otherwise the test shows nothing.
      #expect(report.kills >= TestAmount.of(10), "seed \(seed)")
      #expect(report.audit.deathCount > 0 && report.audit.waitCount > 0, "seed \(seed)")
      try expectOneReplay(temporary.path)
    }
  }
}
