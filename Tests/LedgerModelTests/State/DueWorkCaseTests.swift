import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// Due work that histories of random commands rarely have.
@Suite(.timeLimit(.minutes(10))) struct DueWorkCaseTests {
  private func search(at now: Timestamp) -> WorkSearch {
    WorkSearch(now: now, kinds: ["k"], limit: .max, laneLimit: 1)
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func anAttemptIsFoundFromTheMomentAtWhichItIsOverdue(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1, options: WorkOptions(attemptTimeout: .seconds(10)))
    try ledger.claim(1)
    let overdue = try #require(try ledger.promise(1).workPlace?.overdueAt)
    let before = try ledger.state.dueWork(search(at: overdue + .nanoseconds(-1)))
    #expect(before.candidates.isEmpty)
    #expect(before.nextTime == overdue)
    let after = try ledger.state.dueWork(search(at: overdue))
    #expect(after.candidates.map(\.id) == [.numbered(1)])
  }

  @Test func workThatALaterVersionChangedDoesNotHideTheRestOfItsLane() throws {
    let ledger = try WorkLedger()
    for number in 1...2 { try ledger.create(number, options: .lane(width: 1)) }
    try ledger.append([.raw(EventKind(rawValue: 999), on: PromiseID.numbered(1).entityID)])
    let found = try ledger.state.dueWork(search(at: ledger.context.now))
    #expect(found.candidates.map(\.id) == [.numbered(2)])
  }
}
