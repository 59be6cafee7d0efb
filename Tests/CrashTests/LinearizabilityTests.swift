import LedgerHistories
import LedgerLinearizability
import LedgerTestSupport
import Testing

extension CrashTests {
  /// Several processes on one ledger: all that they are told has one order that their times allow.
  @Suite(.timeLimit(.minutes(10)))
  struct LinearizabilityTests {
    @Test func whatProcessesAreToldHasOneOrder() async throws {
      let seed = UInt64.random(in: 0...UInt64(UInt32.max))
      let report = try await HistoryRun(
        seed: seed, historyCount: TestAmount.of(200), workerFlags: ["loses-answers"]
      ).run()
      print(report.line)
      #expect(report.problems == [], "seed \(seed)")
      for finding in report.result.findings.prefix(3) { Issue.record("seed \(seed): \(finding)") }
      // Otherwise the test shows nothing.
      #expect(report.killCount > 5)
      #expect(report.result.unknownCount > 50)
      #expect(report.result.overlapCount > 1_000)
      for answer in Self.neededAnswers {
        #expect(report.result.answers[answer, default: 0] > 0, "\(answer) never came")
      }
    }

    private static let neededAnswers = [
      "create created", "create deduplicated", "create conflict", "settle resolved",
      "settle alreadyResolved", "settle deduplicated", "settle abandoned", "abandon abandoned",
      "consume value", "consume alreadyConsumed", "handle runs",
      "handle alreadyConsumed", "consume-handled value", "read pending", "read resolved",
      "read consumed",
      "outcome value", "create exists", "rebind rebound", "rebind handlerFinished", "start runs",
      "start handlerRunning", "start handlerFinished", "finish returned",
      "invalidate invalidated", "start started", "cancel cancelled", "cancel alreadyEnded",
      "force resolved", "force alreadyResolved",
    ]

    @Test(arguments: ["stale-reads", "unrecorded-consumption"])
    func aBugIsFound(bug: String) async throws {
      let report = try await HistoryRun(seed: 1, historyCount: 40, workerFlags: [bug]).run()
      print("\(bug): \(report.line)")
      #expect(report.problems == [])
      #expect(report.result.findings.count >= 2)
    }

    #if DEBUG
      @Test func answeringBeforeTheCommitIsFound() async throws {
        let report = try await HistoryRun(
          seed: 1, historyCount: 50, workerFlags: ["early-answers"], killInterval: 2
        ).run()
        print("early answers: \(report.line)")
        #expect(report.problems == [])
        #expect(report.result.findings.count >= 1)
      }
    #endif
  }
}
