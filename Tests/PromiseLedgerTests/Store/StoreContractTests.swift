import LedgerPostgreSQLTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntimeTesting

/// The contract of stores, for the stores of this package; a store in another target does the same.
@Suite(.timeLimit(.minutes(10))) struct StoreContractTests {
  @Test(arguments: StoreMaker.all, StoreContract.rules)
  func everyStoreKeepsEveryRule(maker: StoreMaker, rule: StoreContract.Rule) async throws {
    try await maker.contract.check([rule])
  }

  /// Skipped where nothing ran on PostgreSQL.
  @Test(.enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"))
  func postgreSQLIsAmongTheStores() {
    #expect(StoreMaker.all.map(\.testDescription).contains("PostgreSQL"))
  }

  @Test(arguments: StoreContract.rules)
  func aStoreThatBreaksARuleIsFound(rule: StoreContract.Rule) async throws {
    let bug = try #require(BrokenStore.Bug(rawValue: rule.name), "no store breaks \(rule)")
    let contract = StoreContract(.broken(bug))
    let violations = await contract.violations(of: [rule])
    #expect(violations.map(\.rule.name) == [rule.name])
    let failure = await #expect(throws: StoreContractFailure.self) {
      try await contract.check([rule])
    }
    #expect(failure?.description.contains(rule.name) == true)
  }

  @Test func noRulesProveNothing() async {
    let error = await #expect(throws: LedgerError.self) {
      try await StoreContract(.memory).check([])
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test func everyBrokenStoreBreaksARuleThatThereIs() {
    let names = Set(StoreContract.rules.map(\.name))
    #expect(names.count == StoreContract.rules.count)
    #expect(Set(BrokenStore.Bug.allCases.map(\.rawValue)) == names)
  }

  @Test(arguments: StoreMaker.all)
  func aCommitHandsOverEventsThatTheCallerHasNotApplied(maker: StoreMaker) throws {
    let subject = try maker.make()
    try subject.append(300)
    var caughtUp: [UInt64] = []
    var headSeen = Position.start
    let after = Position(rawValue: 120)
    let head = try subject.store.commit(
      CommitID(session: StoreUnderTest.session, number: 2), after: after,
      patience: Patience(.seconds(5)),
      catchUp: { (frame) throws(LedgerError) in
        try frame.forEachEvent(after: after) { caughtUp.append($0.position.rawValue) }
      },
      decide: { (head, _) throws(LedgerError) in
        headSeen = head
        return try StoreUnderTest.batch(1)
      })
    #expect(caughtUp == Array(121...300))
    #expect(headSeen == Position(rawValue: 300))
    #expect(head == Position(rawValue: 301))
  }

  @Test func aStoreThatLosesARaceDecidesAgain() throws {
    let store = InMemoryEventStore()
    let subject = StoreUnderTest(store: store)
    store.simulateConflicts(3)
    var decisions = 0
    let head = try subject.store.commit(
      CommitID(session: StoreUnderTest.session, number: 1), after: .start,
      patience: Patience(.seconds(5)), catchUp: { (_) throws(LedgerError) in },
      decide: { (_, _) throws(LedgerError) in
        decisions += 1
        return try StoreUnderTest.batch(2)
      })
    #expect(decisions == 4)
    #expect(head == Position(rawValue: 2))
  }
}
