import PromiseLedger
import PromiseLedgerSwiftTesting
import Testing

/// Each test has a ledger of its own, also in the initializer of its suite.
@Suite(.ledger, .timeLimit(.minutes(5)))
struct LedgerTraitTests {
  private let tester: LedgerTester

  init() throws {
    tester = try LedgerTester.current
  }

  @Test func theSuiteHasTheLedgerOfItsTest() async throws {
    #expect(try LedgerTester.current === tester)
    let app = try await tester.app()
    #expect(try await app.ledger.catchUp() > .start)
  }

  @Test(arguments: 0..<8)
  func eachArgumentHasALedger(number: Int) async throws {
    let app = try await tester.app()
    // Another argument's promise would be found.
    let key = try PromiseKey("same")
    let answer = try await app.ledger.createPromiseIfAbsent(key: key, of: Int.self)
    guard case .created = answer else {
      Issue.record("The ledger is not new.")
      return
    }
    #expect(tester.clock.now() == ManualLedgerClock().now())
  }

  @Test(.ledger(.files)) func theInnermostTraitCounts() async throws {
    let current = try LedgerTester.current
    #expect(current === tester)
    #expect(try await current.app().condition == .running)
  }
}

@Suite(.timeLimit(.minutes(5)))
struct LedgerTraitAbsenceTests {
  @Test func withoutTheTraitThereIsNoLedger() {
    let error = #expect(throws: LedgerError.self) { try LedgerTester.current }
    #expect(error?.code == .invalidArgument)
  }

  @Test func theFunctionNestsLedgers() async throws {
    try await withLedger { outer in
      let first = try LedgerTester.current
      let (second, inner) = try await withLedger { inner in (try LedgerTester.current, inner) }
      let third = try LedgerTester.current
      #expect(first === outer)
      #expect(second === inner)
      #expect(inner !== outer)
      #expect(third === outer)
    }
  }
}
