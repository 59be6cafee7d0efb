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

  /// In a snapshot, the work is found by its time and by each promise that it awaits.
  @Test(arguments: WorkLedger.Form.allCases)
  func workIsOrderedByWhatMadeItDueFirst(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    for number in 2...3 { try ledger.createPromise(number) }
    try ledger.claim(1)
    let start = ledger.context.now
    let condition = WorkCondition(
      time: start + .seconds(20), promises: [.numbered(2), .numbered(3)])
    try ledger.commit(SuspendWork(id: .numbered(1), attempt: 1, until: condition))
    ledger.context.now = start + .seconds(5)
    try ledger.resolve(3)
    ledger.context.now = start + .seconds(10)
    try ledger.resolve(2)
    let found = try ledger.state.dueWork(search(at: start + .seconds(30)))
    #expect(found.candidates.map(\.order) == [start + .seconds(5)])
  }

  @Test func workThatALaterVersionChangedDoesNotHideTheRestOfItsLane() throws {
    let ledger = try WorkLedger()
    for number in 1...2 { try ledger.create(number, options: .lane(width: 1)) }
    try ledger.append([.raw(EventKind(rawValue: 999), on: PromiseID.numbered(1).entityID)])
    let found = try ledger.state.dueWork(search(at: ledger.context.now))
    #expect(found.candidates.map(\.id) == [.numbered(2)])
  }
}
