import LedgerModelTestSupport
import LedgerRuntimeTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// Records that are kept because work or joints need them.
@Suite(.timeLimit(.minutes(10))) struct WorkRetentionTests {
  /// A ledger whose events are in the snapshot, with promises that ended.
  private func ledger(
    _ form: WorkLedger.Form = .folded, ended numbers: ClosedRange<Int>
  ) throws -> WorkLedger {
    let ledger = try WorkLedger(form)
    for number in numbers {
      try ledger.create(number)
      try ledger.claim(number)
      try ledger.finish(number)
    }
    return ledger
  }

  /// Writes so much that all events before it are in the snapshot, and the snapshot stays where it is.
  private func fill(_ ledger: WorkLedger) throws {
    try ledger.commit(together: (1_001...1_100).map { CreatePromise(.numbered($0)) })
  }

  private func remove(_ plan: RetentionPlan, in ledger: WorkLedger) throws {
    for event in plan.events {
      #expect(try ledger.commit(ApplyRetention(event, plannedAt: plan.position)) != nil)
    }
  }

  private func plan(_ ledger: WorkLedger) throws -> RetentionPlan {
    try RetentionPlan(ledger.state, endedBy: .everything)
  }

  /// Creates a race of one input as a child of running work.
  private func joinAsChild(
    _ number: Int, of parent: Int, input: Int, in ledger: WorkLedger
  ) throws {
    try ledger.commit(
      CreatePromise(
        id: .numbered(number),
        creation: PromiseCreated(
          typeTag: "text", lifetime: .untilSettled, parent: .numbered(parent),
          source: .joint(PromiseCreated.Joint(.race, of: [.numbered(input)]))),
        isStrict: true, parentAttempt: 1))
  }

  @Test func inputsOfAJointThatIsNewerThanThePlanAreKept() throws {
    let ledger = try ledger(.halfFolded, ended: 1...3)
    try ledger.createPromise(9)
    try fill(ledger)
    let plan = try plan(ledger)
    #expect(plan.removedCount == 3)
    // Undecided, and decided but not consumed.
    try ledger.join(4, .all, of: 1, 9)
    try ledger.commit(
      CreatePromise(
        id: .numbered(5),
        creation: PromiseCreated(
          typeTag: "text", source: .joint(PromiseCreated.Joint(.race, of: [.numbered(2)]))),
        isStrict: true))
    try remove(plan, in: ledger)
    #expect(try ledger.state.promise(.numbered(3)) == nil)
    for number in 1...2 { #expect(try ledger.state.promise(.numbered(number)) != nil) }
    try ledger.resolve(9)
    #expect(try ledger.outcome(4)?.kind == .fulfilled)
  }

  /// A handler may be bound to a promise that is created later. A joint that ends as soon as it is created is not open
  /// when the plan is carried out, and has its value from its inputs all the same.
  @Test func inputsOfANewerJointThatEndedAreKeptForAnOlderHandler() throws {
    let ledger = try ledger(.halfFolded, ended: 1...2)
    let references = HandlerReferences(promises: [.numbered(4)], handlers: [])
    try ledger.commit(CreateHandler(.numbered(101), arguments: .of(.none, references)))
    try fill(ledger)
    let plan = try plan(ledger)
    #expect(plan.removedCount == 2)
    try ledger.commit(
      CreatePromise(
        id: .numbered(4),
        creation: PromiseCreated(
          typeTag: "text", lifetime: .untilSettled,
          source: .joint(PromiseCreated.Joint(.race, of: [.numbered(1)]))),
        isStrict: true))
    try remove(plan, in: ledger)
    #expect(try ledger.state.promise(.numbered(2)) == nil)
    #expect(try ledger.state.promise(.numbered(1)) != nil)
    #expect(try ledger.outcome(4)?.kind == .fulfilled)
  }

  @Test func inputsOfAJointThatNewerWorkNeedsAreKept() throws {
    let ledger = try ledger(.halfFolded, ended: 1...1)
    try ledger.join(2, .all, of: 1)
    try fill(ledger)
    let plan = try plan(ledger)
    #expect(plan.removedCount == 2)
    try ledger.create(3, .after(.numbered(2), .fulfilled))
    try remove(plan, in: ledger)
    for number in 1...2 { #expect(try ledger.state.promise(.numbered(number)) != nil) }
  }

  @Test func promisesThatWorkAwaitedAreKeptUntilItEnds() throws {
    let ledger = try ledger(ended: 1...1)
    for number in 11...13 { try ledger.create(number) }
    try ledger.create(2)
    try ledger.claim(2)
    // It awaits 11, having read 1, and then 12.
    for (attempt, awaited) in [(UInt32(1), 11), (2, 12)] {
      let command = SuspendWork(
        id: .numbered(2), attempt: attempt,
        until: WorkCondition(promises: [.numbered(awaited)]),
        awaited: attempt == 1 ? [.numbered(1)] : [.numbered(11)])
      guard case .suspended = try ledger.commit(command) else {
        Issue.record("The work was not given back.")
        return
      }
      try ledger.claim(awaited)
      try ledger.finish(awaited)
      try ledger.claim(2)
    }
    let expected = [1, 11, 12].map(PromiseID.numbered)
    #expect(try ledger.promise(2).progress?.awaited == expected)
    try ledger.claim(13)
    try ledger.finish(13)
    try remove(plan(ledger), in: ledger)
    for id in expected { #expect(try ledger.state.promise(id) != nil) }
    #expect(try ledger.state.promise(.numbered(13)) == nil)
    try ledger.finish(2)
    #expect(try ledger.promise(2).progress?.awaited == [])
    try remove(plan(ledger), in: ledger)
    for id in expected { #expect(try ledger.state.promise(id) == nil) }
  }

  /// Once its code knows of the request to cancel it, running work awaits what the operator said.
  @Test func thePromiseThatAnOperatorLetsRunningWorkAwaitIsKept() throws {
    let ledger = try ledger(ended: 1...1)
    try ledger.create(2)
    try ledger.claim(2)
    let amended = WorkAmended(trigger: .after(.numbered(1), .fulfilled))
    try ledger.commit(AmendWork(id: .numbered(2), amended))
    try ledger.commit(CancelWork(id: .numbered(2), reason: "test"))
    try remove(plan(ledger), in: ledger)
    #expect(try ledger.state.promise(.numbered(1)) != nil)
  }

  /// A later attempt reads the value of the joint, which is that of its inputs.
  @Test(arguments: [WorkLedger.Form.folded, .halfFolded])
  func inputsOfAJointThatIsAChildAreKeptUntilItsParentEnds(form: WorkLedger.Form) throws {
    let ledger = try ledger(form, ended: 1...2)
    try ledger.create(3)
    try ledger.claim(3)
    if form == .halfFolded { try fill(ledger) }
    try joinAsChild(4, of: 3, input: 1, in: ledger)
    #expect(try ledger.outcome(4)?.kind == .fulfilled)
    try remove(plan(ledger), in: ledger)
    #expect(try ledger.state.promise(.numbered(1)) != nil)
    #expect(try ledger.state.promise(.numbered(2)) == nil)
    #expect(try ledger.state.promise(.numbered(4)) != nil)
    try ledger.finish(3)
    if form == .halfFolded {
      try ledger.commit(together: (1_101...1_300).map { CreatePromise(.numbered($0)) })
    }
    try remove(plan(ledger), in: ledger)
    for number in [1, 4] { #expect(try ledger.state.promise(.numbered(number)) == nil) }
  }

  /// Plans of one compaction do not look twice at what has ended, and see what ends between them.
  @Test func plansOfACompactionShareWhatTheyFind() throws {
    let ledger = try ledger(ended: 1...3)
    try ledger.create(4)
    try ledger.claim(4)
    let creation = PromiseCreated(typeTag: "text", lifetime: .untilSettled)
    for start in [2_000, 3_000] {
      let ids = (start..<start + 1_000).map(PromiseID.numbered)
      try ledger.commit(
        together: ids.map { CreatePromise(id: $0, creation: creation, isStrict: true) })
      try ledger.commit(together: ids.map { ResolvePromise($0, .fulfilled, content: [1]) })
    }
    var children = EndedChildren()
    func plan() throws -> (plan: RetentionPlan, ticks: Int) {
      var ticks = 0
      let plan = try RetentionPlan(
        ledger.state, endedBy: .everything, eventLimit: 1, sharing: &children
      ) { ticks += 1 }
      return (plan, ticks)
    }
    let first = try plan()
    #expect(try plan().ticks == first.ticks - 2)
    try joinAsChild(5, of: 4, input: 3, in: ledger)
    try remove(plan().plan, in: ledger)
    #expect(try ledger.state.promise(.numbered(3)) != nil)
    #expect(try ledger.state.promise(.numbered(2_500)) == nil)
  }

  /// They are kept without that, however many there are.
  @Test func childrenThatWorkAwaitsAreNotNamed() throws {
    let ledger = try ledger(ended: 1...1)
    try ledger.create(2)
    try ledger.claim(2)
    try ledger.create(child: 3, of: 2)
    try ledger.commit(
      SuspendWork(
        id: .numbered(2), attempt: 1, until: WorkCondition(promises: [.numbered(3)])))
    #expect(try ledger.promise(2).progress?.awaited == [])
    #expect(try ledger.promise(2).progress?.release?.event.awaited == [])
    try ledger.claim(3)
    try ledger.finish(3)
    try remove(plan(ledger), in: ledger)
    #expect(try ledger.state.promise(.numbered(1)) == nil)
    #expect(try ledger.state.promise(.numbered(3)) != nil)
  }
}
