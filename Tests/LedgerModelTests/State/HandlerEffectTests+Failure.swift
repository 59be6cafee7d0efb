import LedgerModelTestSupport
import Testing

@testable import LedgerModel

extension HandlerEffectTests {
  // MARK: The promise that a failure rejects

  /// Ends the call of handler 1, which fails by itself or by a required effect.
  private func fail(_ ledger: inout PureLedger, byEffect: Bool) throws -> FinishCall.Answer {
    let refused = HandlerEffect(.callHandler(other, .numbered(7), .none), isRequired: true)
    return try ledger.commit(
      FinishCall(
        id: id, call: call, attempt: 1, result: byEffect ? .void : .failure,
        effects: RequestedEffects(byEffect ? [refused] : [], runnableKinds: ["greet"]),
        promiseToReject: promise))
  }

  @Test(arguments: PromiseState.allCases, [false, true])
  func aFailureRejectsAPendingPromise(state: PromiseState, byEffect: Bool) throws {
    var ledger = try ledger()
    if state != .absent { try ledger.commit(CreatePromise(promise)) }
    if state == .resolved { try ledger.commit(ResolvePromise(promise)) }
    if state == .abandoned { try ledger.commit(AbandonPromise(id: promise, reason: "")) }

    let answer = try fail(&ledger, byEffect: byEffect)

    #expect(answer.verdict == (byEffect ? "refused" : "finished"))
    let expected: [PromiseState: DecidedEffect.Verdict] = [
      .absent: .notFound, .pending: .done, .resolved: .alreadyResolved, .abandoned: .abandoned,
    ]
    let report = try #require(try lastReport(of: ledger))
    #expect(report.effects.last?.effect == .rejectPromise)
    #expect(report.effects.last?.verdict == expected[state])
    #expect(report.effects.count == (byEffect ? 2 : 1))
    let outcome = try ledger.state.promise(promise)?.resolution?.outcome
    let outcomes: [PromiseState: PromiseOutcomeKind] = [.pending: .rejected, .resolved: .fulfilled]
    #expect(outcome == outcomes[state])
    #expect(try ledger.replayed().contents == ledger.state.contents)
  }

  @Test func aFailureThatCannotRejectIsNotRecorded() throws {
    var ledger = try ledger()
    try ledger.commit(CreatePromise(promise))
    let context = DecisionContext(
      session: .numbered(1), role: .app, now: .at(1),
      room: CommitRoom(bytes: 0, bytesWithReserve: .max))
    var decision = Decision(over: ledger.state, context: context)
    let finish = FinishCall(
      id: id, call: call, attempt: 1, result: .failure, promiseToReject: promise)
    #expect(throws: LedgerError.self) { try decision.run(finish) }
    #expect(decision.batch.count == 0)
  }
}
