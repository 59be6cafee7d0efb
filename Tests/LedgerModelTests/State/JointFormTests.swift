import LedgerModelTestSupport
import LedgerTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// Equal commands lead to equal events, however much of the ledger is folded, even if joints are left that a commit
/// could not settle.
@Suite(.timeLimit(.minutes(20))) struct JointFormTests {
  /// The number of joints that one settlement leaves, because a commit settles only so many.
  private static let leftCount = 12

  /// A ledger with joints of promise 1 and others that were decided, and left, by its rejection.
  private func ledgerWithLeftJoints(
    _ form: WorkLedger.Form, _ rule: PromiseCreated.Joint.Rule, _ outcome: PromiseOutcomeKind
  ) throws -> WorkLedger {
    let ledger = try WorkLedger(form, sessionCount: 1)
    for number in 1...4 { try ledger.createPromise(number) }
    let count = Decision.maximumFollowerCount + Self.leftCount
    try ledger.commit(
      together: (1...count).map { CreatePromise(joint: 10 + $0, rule, of: [1, 2, 3, 4]) })
    try ledger.resolve(1, outcome)
    #expect(try ledger.newestEvents().count == 1 + Decision.maximumFollowerCount)
    return ledger
  }

  @Test(arguments: [
    (PromiseCreated.Joint.Rule.all, PromiseOutcomeKind.rejected, PromiseOutcomeKind.fulfilled),
    (.any, .fulfilled, .rejected),
  ])
  func jointsThatWereLeftAreSettledByARunnerInEveryForm(
    rule: PromiseCreated.Joint.Rule, deciding: PromiseOutcomeKind, other: PromiseOutcomeKind
  ) throws {
    for form in WorkLedger.Form.allCases {
      let ledger = try ledgerWithLeftJoints(form, rule, deciding)
      // It decides nothing while others are pending.
      try ledger.resolve(2, other)
      #expect(try ledger.newestEvents().count == 1, "\(form)")
      let left = try ledger.dueWork().joints
      #expect(left.count == Self.leftCount, "\(form)")
      try ledger.commit(SettleJoints(left.sorted()))
      #expect(try ledger.newestEvents().count == Self.leftCount, "\(form)")
    }
  }

  /// An input that decides by itself settles them, too, with the outcome of the input that came first.
  @Test func anotherDecidingInputSettlesThemInEveryForm() throws {
    for form in WorkLedger.Form.allCases {
      let ledger = try ledgerWithLeftJoints(form, .all, .rejected)
      try ledger.resolve(2, .cancelled)
      #expect(try ledger.newestEvents().count == 1 + Self.leftCount, "\(form)")
      #expect(
        try ledger.outcome(10 + Decision.maximumFollowerCount + 1)?.kind == .rejected, "\(form)")
    }
  }

  /// Though its id is lower, and another joint of the input that it waits for was settled before its turn.
  @Test func aJointOfAnotherOneComesAfterAllThatTheInputDecides() throws {
    for form in WorkLedger.Form.allCases {
      let ledger = try WorkLedger(form, sessionCount: 1)
      try ledger.createPromise(1)
      try ledger.join(10, .all, of: 1)
      try ledger.join(11, .all, of: 1, 10)
      try ledger.join(12, .all, of: 1)
      try ledger.resolve(1)
      #expect(
        try ledger.newestEvents().map(\.subject)
          == [1, 10, 12, 11].map {
            PromiseID.numbered($0).entityID
          }, "\(form)")
    }
  }

  // MARK: Random histories

  @Test(arguments: TestAmount.seeds(2))
  func equalCommandsMakeEqualEvents(seed: UInt64) throws {
    let ledgers = try WorkLedger.Form.allCases.map { try WorkLedger($0, sessionCount: 1) }
    var generator = SeededGenerator(seed: seed)
    for ledger in ledgers { for number in 1...6 { try ledger.createPromise(number) } }
    // Most joints have one rule, so that one settlement decides more of them than a commit settles.
    let mainRule = PromiseCreated.Joint.Rule.allCases.randomElement(using: &generator) ?? .all
    let joints = (1...300).map { number in
      let rule =
        generator.chance(1, of: 20)
        ? PromiseCreated.Joint.Rule.allCases.randomElement(using: &generator) ?? .all : mainRule
      let others = (2...6).filter { _ in generator.chance(1, of: 2) }
      let below = number > 100 && generator.chance(1, of: 10) ? [10 + number - 100] : []
      return CreatePromise(joint: 10 + number, rule, of: ([1] + others + below))
    }
    for ledger in ledgers { try ledger.commit(together: joints) }
    for number in (1...6).shuffled(using: &generator) {
      let outcome: PromiseOutcomeKind? =
        [.fulfilled, .fulfilled, .rejected, .cancelled, nil].randomElement(using: &generator)
        ?? nil
      for ledger in ledgers { try ledger.end(number, outcome) }
      try expectEqualEvents(ledgers, "seed \(seed), after promise \(number)")
      guard generator.chance(1, of: 3) else { continue }
      let left = try ledgers.map { try $0.dueWork().joints.sorted() }
      #expect(left.allSatisfy { $0 == left[0] }, "seed \(seed)")
      for ledger in ledgers { try ledger.commit(SettleJoints(left[0])) }
      try expectEqualEvents(ledgers, "seed \(seed), after a runner")
    }
  }

  private func expectEqualEvents(_ ledgers: [WorkLedger], _ place: String) throws {
    let events = try ledgers.map { try $0.newestEvents() }
    for (other, form) in zip(events, WorkLedger.Form.allCases) {
      #expect(other == events[0], "\(form), \(place)")
    }
  }
}
