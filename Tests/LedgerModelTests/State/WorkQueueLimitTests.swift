import LedgerModelTestSupport
import LedgerTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// The limit on the work that waits for a runner.
@Suite(.timeLimit(.minutes(10))) struct WorkQueueLimitTests {
  /// A ledger whose sessions let some work wait.
  private func ledger(_ form: WorkLedger.Form, limit: Int = 2) throws -> WorkLedger {
    let ledger = try WorkLedger(form)
    ledger.context.maximumQueuedWorkCount = limit
    return ledger
  }

  private func expectRefusal(_ body: () throws -> Void) {
    let error = #expect(throws: LedgerError.self) { try body() }
    #expect(error?.code == .tooManyQueued)
    #expect(error?.message.hasPrefix("2 pieces of work wait for a runner already") == true)
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func workIsRefusedUntilSomeOfTheRestHasStarted(form: WorkLedger.Form) throws {
    let ledger = try ledger(form)
    try ledger.create(1)
    try ledger.create(2, kind: "other", options: .lane())
    let position = ledger.position
    expectRefusal { try ledger.create(3) }
    #expect(ledger.position == position)
    // The refusal does not concern a session without a limit.
    ledger.context.maximumQueuedWorkCount = nil
    try ledger.create(4)
    try ledger.claim(1, 4)
    ledger.context.maximumQueuedWorkCount = 2
    try ledger.create(3)
    expectRefusal { try ledger.create(5) }
    // Work that is given back waits again.
    try ledger.claim(3)
    try ledger.commit(ReleaseWork(id: .numbered(1), attempt: 1, reason: .cancelled))
    expectRefusal { try ledger.create(5) }
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func workThatWaitsForSomethingElseDoesNotCount(form: WorkLedger.Form) throws {
    let ledger = try ledger(form)
    try ledger.createPromise(9)
    for number in 1...2 { try ledger.create(number) }
    try ledger.create(3, .at(.second(9_000)))
    try ledger.create(4, .after(.numbered(9), .any))
    try ledger.join(5, .all, of: 9)
    let child = CreatePromise(work: 6, parent: .numbered(1))
    try ledger.commit(child)
    #expect(try ledger.promise(6).status == .pending)
    for number in [1, 2, 6] {
      try ledger.commit(AmendWork(id: .numbered(number), WorkAmended(parking: .parked)))
    }
    #expect(ledger.state.queuedWorkCount == 0)
    for number in 7...8 { try ledger.create(number) }
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aRequestWithTheSameKeyFindsItsWork(form: WorkLedger.Form) throws {
    let ledger = try ledger(form, limit: 1)
    let creation = CreatePromise(
      id: .numbered(1),
      creation: PromiseCreated(
        typeTag: "text", idempotencyKey: "k", source: .work(.init(kind: "k", trigger: .now))),
      isStrict: false)
    try ledger.commit(creation)
    guard case .deduplicated = try ledger.commit(creation) else {
      Issue.record("not found")
      return
    }
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func theWorkOfOneCommitCountsTogether(form: WorkLedger.Form) throws {
    let ledger = try ledger(form)
    let parts = (1...3).map { CreateTogether.Part.promise(CreatePromise(work: $0)) }
    expectRefusal { try ledger.commit(CreateTogether(parts)) }
    #expect(ledger.state.queuedWorkCount == 0)
    try ledger.commit(CreateTogether(Array(parts.prefix(2))))
    #expect(ledger.state.queuedWorkCount == 2)
  }

  /// The count is kept from event to event, and never made anew.
  @Test(arguments: WorkLedger.Form.allCases)
  func theCountIsThatOfTheWorkInEveryHistory(form: WorkLedger.Form) throws {
    for seed in TestAmount.seeds(6) {
      var random = try RandomWork(seed: seed, form)
      for step in 1...60 {
        if let claims = try random.step() {
          try random.ledger.commit(
            ClaimWork(claims.ids, runnableKinds: ["k"]), as: claims.session)
        }
        let state = random.ledger.state
        let expected = try state.openWork().count { $0.workPlace?.phase == .waiting(.now) }
        #expect(state.queuedWorkCount == expected, "seed \(seed), step \(step)")
        let replayed = try LedgerState.replayed(from: random.ledger.store).queuedWorkCount
        #expect(replayed == expected, "seed \(seed), step \(step)")
      }
    }
  }
}
