import LedgerHistories
import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTesting
import Testing

extension CrashTests {
  @Suite(.timeLimit(.minutes(10)))
  struct KillLoopTests {
    /// Fresh ledgers keep the replay at each opening short.
    private static let roundCount = TestAmount.of(3)

    @Test(.timeLimit(.minutes(5)))
    func nothingAcknowledgedIsLostWhenProcessesAreKilled() async throws {
      let seed = UInt64.random(in: 0...UInt64(UInt32.max))
      print("kill loop with seed \(seed)")
      var kills = 0
      for round in 0..<Self.roundCount {
        let temporary = try TemporaryLedger()
        await (try temporary.open()).close()
        let loop = KillLoop(
          path: temporary.path, seed: seed &+ UInt64(round) &* 16, killsPerProcess: 40)
        kills += try await runAndAudit(loop)
        try await expectWorks(temporary)
      }
      #expect(kills >= 110 * Self.roundCount)
    }

    /// - Returns: How many processes were killed.
    private func runAndAudit(_ loop: KillLoop) async throws -> Int {
      let inspector = try BlockingInspector(at: loop.path)
      let report = try await loop.run()
      let audit = try LedgerAudit(inspector)
      print(
        "\(report.kills) kills, \(audit.eventCount) events,",
        "\(report.acknowledged.count) acknowledged, \(report.sightings.count) seen")
      #expect(report.problems.isEmpty, "seed \(loop.seed)")
      let findings = audit.findings(
        acknowledged: report.acknowledged, sightings: report.sightings)
      #expect(findings.isEmpty, "seed \(loop.seed)")
      #expect(report.acknowledged.count > 100 && report.sightings.count > 100)
      return report.kills
    }

    #if DEBUG
      @Test(.timeLimit(.minutes(10)))
      func acknowledgingBeforeTheCommitIsNoticed() async throws {
        let seed: UInt64 = 11
        let temporary = try TemporaryLedger()
        await (try temporary.open()).close()
        let inspector = try BlockingInspector(at: temporary.path)
        let loop = KillLoop(
          path: temporary.path, seed: seed, killsPerProcess: 20,
          writerFlags: ["acknowledges-before-commit"])
        let report = try await loop.run()
        let findings = try LedgerAudit(inspector).findings(acknowledged: report.acknowledged)
        print("acknowledging early: \(findings.count) losses noticed after \(report.kills) kills")
        #expect(findings.contains { $0.hasPrefix("lost ") })
      }
    #endif
  }
}

/// All crash tests. They wait for the output of processes and not for a time, so several may run at
/// once.
@Suite(.timeLimit(.minutes(60))) enum CrashTests {}

/// Whether the ledger can be opened and takes a promise through its whole life.
func expectWorks(
  _ temporary: TemporaryLedger, sourceLocation: Testing.SourceLocation = #_sourceLocation
) async throws {
  let ledger = try await temporary.open()
  let promise = try await ledger.createPromise(of: Int.self)
  try await promise.fulfill(5)
  #expect(try await promise.consume() == 5, sourceLocation: sourceLocation)
  let problems = try await ledger.engine.read { $0.blocked.count }
  #expect(problems == 0, sourceLocation: sourceLocation)
  await ledger.close()
  try expectOneReplay(temporary.path)
}

/// The history replays to one state, in every way.
func expectOneReplay(_ path: String) throws {
  var verifier = ReplayVerifier(.ledger(path))
  verifier.maximumSnapshotCount = 3
  verifier.copyDirectory = Scratch.path
  _ = try verifier.run()
}
