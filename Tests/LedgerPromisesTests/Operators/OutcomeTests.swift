import LedgerPromises
import PromiseLedger
import Testing

/// Comparing outcomes, of promises without a value too.
@Suite(.timeLimit(.minutes(10))) struct OutcomeTests {
  @Test func outcomesWithoutAValueCanBeCompared() {
    let outcomes: [Outcome<Void>] = [
      .fulfilled(()), .rejected(TestError(1)), .rejected(TestError(2)), .cancelled("why"),
      .cancelled("why not"),
    ]
    for (left, one) in outcomes.enumerated() {
      for (right, other) in outcomes.enumerated() {
        #expect((one == other) == (left == right), "\(one), \(other)")
        #expect((one != other) == (left != right), "\(one), \(other)")
      }
    }
  }

  @Test func anOutcomeThatIsNotThereEqualsNone() {
    let (promise, resolver) = Promise.make(of: Void.self)
    #expect(promise.outcome != .fulfilled(()))
    resolver()
    #expect(promise.outcome == .fulfilled(()))
    #expect(promise.outcome != .cancelled("why"))
  }

  @Test func durableOutcomesWithoutAValueCanBeCompared() {
    let outcomes: [PromiseOutcome<Void>] = [
      .fulfilled(()), .rejected(StoredError(domain: "chat", code: 403, message: "No.")),
      .rejected(StoredError(domain: "chat", code: 404, message: "No.")),
      .cancelled(reason: "why"), .cancelled(reason: "why not"), .timedOut,
    ]
    for (left, one) in outcomes.enumerated() {
      #expect(one.isFulfilled == (left == 0), "\(one)")
      for (right, other) in outcomes.enumerated() {
        #expect((one == other) == (left == right), "\(one), \(other)")
        #expect((one != other) == (left != right), "\(one), \(other)")
      }
    }
  }
}
