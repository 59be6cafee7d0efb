import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// When work becomes due, and when it takes over the outcome of the promise that it awaits instead.
@Suite(.timeLimit(.minutes(10))) struct WorkTriggerTests {
  /// A life of the awaited promise.
  enum Life: Sendable, CaseIterable {
    case pending, fulfilled, rejected, cancelled, timedOut, abandoned, timer
    case fulfilledAndConsumed, rejectedAndConsumed, fulfilledAndAbandoned, rejectedAndAbandoned
  }

  /// The state of the work afterwards.
  enum Fate: Sendable, Equatable {
    case waits, isDue
    /// With this outcome, without that code ran.
    case ends(PromiseOutcomeKind, [UInt8])
  }

  /// The rule: work waits until the promise is settled. Then its code runs if it waits for this
  /// settlement. Otherwise, it takes over a value, an error or the reason of a cancellation or of
  /// an abandonment; a timeout is an error for others.
  ///
  /// Only the first end of the promise counts, not what the app did with its outcome.
  static func fate(of settlement: WorkTrigger.Settlement, after life: Life) -> Fate {
    let value: [UInt8]? =
      switch life {
      case .fulfilled, .fulfilledAndConsumed, .fulfilledAndAbandoned: [1, 2, 3]
      case .timer: []
      default: nil
      }
    switch (life, settlement, value) {
    case (.pending, _, _): return .waits
    case (_, .any, _), (_, .fulfilled, .some), (_, .failed, nil): return .isDue
    case (_, .failed, let value?): return .ends(.fulfilled, value)
    case (.rejected, _, _), (.rejectedAndConsumed, _, _), (.rejectedAndAbandoned, _, _):
      return .ends(.rejected, StoredError.sample.encoded)
    case (.cancelled, _, _): return .ends(.cancelled, Array("no need".utf8))
    case (.abandoned, _, _): return .ends(.cancelled, Array("gone".utf8))
    default: return .ends(.rejected, WorkError.awaitedTimedOut(.numbered(1)).encoded)
    }
  }

  /// Creates promise 1, and lets it live.
  private func begin(_ life: Life, in ledger: WorkLedger) throws {
    let effect: PromiseCreated.DeadlineEffect = life == .timer ? .fulfils : .timesOut
    try ledger.commit(CreatePromise(.numbered(1), deadline: .second(2_000), effect: effect))
  }

  private func finish(_ life: Life, in ledger: WorkLedger) throws {
    switch life {
    case .pending: break
    case .fulfilled, .fulfilledAndConsumed, .fulfilledAndAbandoned: try ledger.resolve(1)
    case .rejected, .rejectedAndConsumed, .rejectedAndAbandoned: try ledger.resolve(1, .rejected)
    case .cancelled: try ledger.resolve(1, .cancelled)
    case .abandoned: try ledger.commit(AbandonPromise(id: .numbered(1), reason: "gone"))
    case .timedOut, .timer:
      ledger.context.now = .second(2_000)
      try ledger.commit(TimeOutDuePromises())
    }
  }

  private func close(_ life: Life, in ledger: WorkLedger) throws {
    switch life {
    case .fulfilledAndConsumed, .rejectedAndConsumed:
      try ledger.commit(ConsumePromise(id: .numbered(1), delivery: .recordedBefore))
    case .fulfilledAndAbandoned, .rejectedAndAbandoned:
      try ledger.commit(AbandonPromise(id: .numbered(1), reason: "late"))
    default: break
    }
  }

  private func fate(in ledger: WorkLedger) throws -> Fate {
    if let outcome = try ledger.outcome(2) {
      #expect(try ledger.claim(2) == ["ended"])
      return .ends(outcome.kind, outcome.content)
    }
    let claims = try ledger.claim(2)
    return claims == ["started 1"] ? .isDue : claims == ["not due"] ? .waits : .ends(.timedOut, [])
  }

  @Test(arguments: WorkLedger.Form.allCases, Life.allCases)
  func aSettlementDecidesOverTheWorkThatAwaitsIt(form: WorkLedger.Form, life: Life) throws {
    for settlement in WorkTrigger.Settlement.allCases {
      let ledger = try WorkLedger(form)
      try begin(life, in: ledger)
      try ledger.create(2, .after(.numbered(1), settlement))
      #expect(try ledger.claim(2) == ["not due"], "\(settlement)")
      try finish(life, in: ledger)
      let expected = Self.fate(of: settlement, after: life)
      // In the commit of the settlement, which it names as its cause.
      let events = try ledger.newestEvents()
      if case .ends = expected {
        #expect(events.map(\.subject) == [1, 2].map { PromiseID.numbered($0).entityID })
        #expect(events.last?.cause == events.first?.position)
      } else {
        #expect(try ledger.outcome(2) == nil, "\(settlement)")
      }
      try close(life, in: ledger)
      #expect(try fate(in: ledger) == expected, "\(settlement)")
    }
  }

  @Test(arguments: WorkLedger.Form.allCases, Life.allCases)
  func workThatComesAfterTheSettlementFaresAlike(form: WorkLedger.Form, life: Life) throws {
    for settlement in WorkTrigger.Settlement.allCases {
      let ledger = try WorkLedger(form)
      try begin(life, in: ledger)
      try finish(life, in: ledger)
      try close(life, in: ledger)
      try ledger.create(2, .after(.numbered(1), settlement))
      #expect(
        try fate(in: ledger) == Self.fate(of: settlement, after: life), "\(settlement)")
    }
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func theOutcomeOfAnAttemptIsTakenOverWithoutItsEffects(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(5)
    try ledger.create(1)
    try ledger.create(2, .after(.numbered(1), .failed))
    try ledger.claim(1)
    let effect = HandlerEffect(.resolvePromise(ResolvePromise(.numbered(5))))
    #expect(try ledger.finish(1, effects: [effect]) == "fulfilled")
    #expect(try ledger.outcome(5)?.kind == .fulfilled)
    #expect(try ledger.outcome(2) == .init(kind: .fulfilled, content: [7]))
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aTimeIsDueByTheClockOfTheSession(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1, .at(.second(1_010)))
    ledger.context.now = .at(Timestamp.second(1_010).nanosecondsSinceEpoch - 1)
    #expect(try ledger.claim(1) == ["not due"])
    // A clock that is ahead writes an event; it is not this session's.
    ledger.context.now = .second(5_000)
    try ledger.createPromise(2)
    ledger.context.now = .second(1_009)
    #expect(try ledger.claim(1) == ["not due"])
    ledger.context.now = .second(1_010)
    #expect(try ledger.claim(1) == ["started 1"])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func anAmendedTriggerCountsForOneAttempt(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.createPromise(1)
    try ledger.create(2, .after(.numbered(1), .fulfilled))
    try ledger.commit(AmendWork(id: .numbered(2), WorkAmended(trigger: .at(.second(1_005)))))
    #expect(try ledger.claim(2) == ["not due"])
    // It no longer awaits the promise.
    try ledger.resolve(1, .rejected)
    #expect(try ledger.outcome(2) == nil)
    ledger.context.now = .second(1_005)
    #expect(try ledger.claim(2) == ["started 1"])
    // Once an attempt was started, the trigger of the creation counts no more.
    try ledger.commit(ReleaseWork(id: .numbered(2), attempt: 1, reason: .cancelled))
    #expect(try ledger.claim(2) == ["started 2"])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aTriggerThatNeverBecomesDueIsRefused(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    for (awaited, code) in [(7, LedgerError.Code.notFound), (2, .invalidArgument)] {
      let created = #expect(throws: LedgerError.self) {
        try ledger.create(2, .after(.numbered(awaited), .any))
      }
      #expect(created?.code == code)
    }
    for (awaited, code) in [(7, LedgerError.Code.notFound), (1, .invalidArgument)] {
      let amended = #expect(throws: LedgerError.self) {
        try ledger.commit(
          AmendWork(
            id: .numbered(1), WorkAmended(trigger: .after(.numbered(awaited), .any))))
      }
      #expect(amended?.code == code)
    }
    #expect(try ledger.claim(1) == ["started 1"])
  }
}
