import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// Children that the code of an attempt asks for, and must not have.
@Suite(.timeLimit(.minutes(5)))
struct ChildRefusalTests {
  /// Creates a child as code of an attempt does.
  ///
  /// - Returns: The reason for which it was refused.
  private func create(
    _ number: Int, byAttempt attempt: UInt32 = 1, as session: Int = 1, in ledger: WorkLedger
  ) throws -> ChildRefusal? {
    let creation = PromiseCreated(
      typeTag: "text", idempotencyKey: "child", lifetime: .untilSettled, parent: .numbered(1))
    let command = CreatePromise(
      id: .numbered(number), creation: creation, isStrict: false, parentAttempt: attempt)
    do {
      try ledger.commit(command, as: session)
      return nil
    } catch let error as LedgerError {
      guard let refusal = error.childRefusal else { throw error }
      return refusal
    }
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func codeLearnsOfACancellationBeforeItHasAnotherChild(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    try ledger.claim(1)
    #expect(try create(2, in: ledger) == nil)
    try ledger.finishStep()
    // The code goes on in memory.
    try ledger.commit(FreezeSession())
    try ledger.commit(CancelWork(id: .numbered(1), reason: "no need"), as: 2)
    try ledger.commit(UnfreezeSession(processID: 1))
    #expect(try create(3, in: ledger) == .parentCancelled)
    #expect(try ledger.state.promise(.numbered(3)) == nil)
    // It finds those that were there before.
    #expect(try create(2, in: ledger) == nil)
    try ledger.finishStep("ship", .cancelled)
    // Now it undoes something.
    #expect(try create(3, byAttempt: 2, in: ledger) == nil)
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func onlyTheNewestAttemptHasChildren(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1, options: WorkOptions(attemptTimeout: .seconds(10)))
    try ledger.claim(1)
    #expect(try create(2, in: ledger) == nil)
    // Its process was stopped for longer than twice the limit.
    ledger.context.now = ledger.context.now + .seconds(20)
    #expect(try ledger.claim(1, as: 2) == ["started 2"])
    #expect(try create(3, in: ledger) == .attemptEnded)
    #expect(try create(3, byAttempt: 2, in: ledger) == .attemptEnded)
    #expect(try create(3, byAttempt: 2, as: 2, in: ledger) == nil)
  }

  @Test(arguments: [WorkReleased.Reason.frozen, .closed])
  func codeGoesOnAfterAFreezeOnly(reason: WorkReleased.Reason) throws {
    let ledger = try WorkLedger()
    try ledger.create(1)
    try ledger.claim(1)
    try ledger.commit(ReleaseWork(id: .numbered(1), attempt: 1, reason: reason))
    #expect(try create(2, in: ledger) == (reason == .frozen ? nil : .attemptEnded))
  }
}
