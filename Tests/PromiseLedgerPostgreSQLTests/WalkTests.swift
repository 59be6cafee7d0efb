import LedgerModel
import LedgerModelTestSupport
import LedgerPostgreSQLTestSupport
import LedgerTestSupport
import LedgerWalk
import PromiseLedgerPostgreSQL
import Testing

/// The walk of `StoreWalkTests` on a real server.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct WalkTests {
  @Test(arguments: [
    (StoreSubject.Form.oneProcess, 200), (.twoProcesses, 200), (.reopened, 60), (.folded, 60),
  ])
  func everyCommandIsAnsweredByTheRules(form: StoreSubject.Form, stepCount: Int) throws {
    let server = try TestServer.shared.get()
    var walk = ModelWalk(seed: TestAmount.seed(1)) {
      let place = try server.makePlace()
      let metadata = LedgerMetadata(
        ledgerID: LedgerID(entityID: .numbered(77)), createdAt: .at(0))
      return try StoreSubject(form) { try place.openStore(metadata) }
    }
    let count = TestAmount.of(stepCount)
    let figures = try walk.run(atLeast: count, plateau: 0, atMost: count)
    #expect(figures.failure == nil)
    #expect(figures.stepCount >= count)
  }
}
