import LedgerTestSupport
import LedgerWalk
import Testing

/// The walk of `ModelWalkTests` on ledgers on the disk, on which the committers of sessions work.
@Suite(.timeLimit(.minutes(10))) struct StoreWalkTests {
  @Test(arguments: [
    (WalkKind.lmdb, 2_400), (.twoProcesses, 2_400), (.reopened, 1_200), (.folded, 1_200),
  ])
  func everyCommandIsAnsweredByTheRules(kind: WalkKind, stepCount: Int) throws {
    let report = try kind.walk(seed: TestAmount.seed(1), stepCount: TestAmount.of(stepCount))
    print(report.line)
    #expect(report.problem == nil)
    #expect(report.tripleCount > 300)
  }
}
