import LedgerModelTestSupport
import LedgerTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// Why work of a lane waits.
@Suite(.timeLimit(.minutes(10))) struct LaneExplanationTests {
  private func lane(_ width: Int = 1) throws -> WorkLane { try WorkLane("lane", width: width) }

  private func member(
    _ number: Int, kind: String = "k", _ state: Explanation.LaneMember.State
  ) -> Explanation.LaneMember {
    Explanation.LaneMember(promise: .numbered(number), kind: kind, state: state)
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func theLaneIsFull(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    for number in 1...3 { try ledger.create(number, options: .lane(width: 2)) }
    for number in 1...2 { try ledger.claim(number, as: number + 1) }
    #expect(
      try ledger.reasons(3)
        == [
          .lane(
            .full(
              lane(2),
              by: [member(1, .running(in: .numbered(2))), member(2, .running(in: .numbered(3)))]))
        ])
    #expect(try ledger.claim(3) == ["lane full"])
    #expect(try ledger.finish(1, as: 2) == "fulfilled")
    #expect(try ledger.reasons(3).map(\.name) == ["dueWithSessions"])
  }

  /// The narrowest work decides.
  @Test(arguments: WorkLedger.Form.allCases)
  func theLaneIsAsNarrowAsItsNarrowestWork(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1, options: .lane(width: 1))
    try ledger.create(2, options: .lane(width: 5))
    try ledger.claim(1, as: 2)
    #expect(
      try ledger.reasons(2)
        == [.lane(.full(lane(1), by: [member(1, .running(in: .numbered(2)))]))])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func workThatIsRetriedHoldsTheLane(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    for number in 1...2 { try ledger.create(number, options: .lane()) }
    try ledger.claim(1)
    #expect(try ledger.finish(1, .failure) == "retrying")
    let time = try #require(try ledger.promise(1).progress?.release?.event.retryTime)
    #expect(
      try ledger.reasons(2)
        == [.lane(.held(lane(), by: [member(1, .waiting(until: time))]))])
    #expect(try ledger.claim(2) == ["lane full"])
    ledger.context.now = time
    #expect(
      try ledger.reasons(2) == [.lane(.held(lane(), by: [member(1, .waiting(until: nil))]))])
    // The work that holds the lane may start.
    #expect(try ledger.reasons(1).map(\.name) == ["dueWithSessions"])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func earlierWorkOfAnUnknownKindIsDueFirst(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1, kind: "unknown", options: .lane())
    try ledger.create(2, options: .lane())
    let block = Explanation.LaneBlock.behind(
      try lane(), [member(1, kind: "unknown", .due)])
    #expect(try ledger.reasons(2) == [.lane(block)])
    #expect(
      Explanation.Reason.lane(block).remedies == [.run(kind: "unknown"), .park(.numbered(1))])
    #expect(try ledger.claim(1, 2) == ["unregistered unknown", "lane full"])
    #expect(
      try ledger.reasons(2, living: []).map(\.name) == ["behindInLane", "dueWithoutSession"])
    try ledger.commit(AmendWork(id: .numbered(1), WorkAmended(parking: .parked)))
    #expect(try ledger.claim(2) == ["started 1"])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func earlierWorkThatWaitsIsNotInTheWay(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1, .at(.second(1_010)), options: .lane())
    try ledger.create(2, options: .lane())
    #expect(try ledger.reasons(2).map(\.name) == ["dueWithSessions"])
    ledger.context.now = .second(1_010)
    #expect(try ledger.reasons(2).map(\.name) == ["behindInLane"])
  }

  @Test func earlierWorkThatCannotBeChangedIsNotInTheWay() throws {
    let ledger = try WorkLedger()
    for number in 1...2 { try ledger.create(number, options: .lane()) }
    try ledger.append([.raw(EventKind(rawValue: 999), on: PromiseID.numbered(1).entityID)])
    #expect(try ledger.reasons(2).map(\.name) == ["dueWithSessions"])
    #expect(try ledger.claim(2) == ["started 1"])
  }

  @Test func workOfALaterVersionIsNamedWithoutItsState() throws {
    let ledger = try WorkLedger()
    for number in 1...2 { try ledger.create(number, options: .lane()) }
    try ledger.claim(1)
    try ledger.foldAsLaterVersion(1)
    #expect(
      try ledger.reasons(2)
        == [
          .lane(
            .full(
              lane(), by: [Explanation.LaneMember(promise: .numbered(1), kind: nil, state: nil)]))
        ])
  }

  /// The explanation of work agrees with the answer to a claim.
  @Test(arguments: TestAmount.seeds(20))
  func theReasonsAgreeWithClaims(seed: UInt64) throws {
    for form in [WorkLedger.Form.inMemory, .folded] {
      var history = try RandomWork(seed: seed, form)
      let ledger = history.ledger
      for step in 0..<60 {
        guard let claims = try history.step() else { continue }
        for id in Set(claims.ids).sorted() {
          let names = try ledger.explainer().explain(id)?.reasons.map(\.name) ?? []
          let standing = try ledger.state.promise(id)?.workStanding(
            at: ledger.context.now, SessionPresences([.numbered(1): .alive])
          ) { (id) throws(LedgerError) in try ledger.state.readablePromise(id) }
          let claim = try ledger.commit(
            ClaimWork([id], runnableKinds: ["k"]), as: claims.session)[0].text
          #expect(
            Self.fits(names, standing?.state, claim.hasPrefix("started") ? "started" : claim),
            "seed \(seed), step \(step), \(id): \(names), \(String(describing: standing?.state)), \(claim)"
          )
        }
      }
    }
  }

  private static func fits(
    _ names: [String], _ state: WorkStanding.State?, _ claim: String
  ) -> Bool {
    let first = names.first ?? ""
    switch claim {
    case "started": return first == "dueWithSessions" && state == .due
    case "lane full":
      return ["laneFull", "laneHeld", "behindInLane"].contains(first) && state == .due
    case "not due":
      return ["awaitsPromise", "awaitsCircle"].contains(first) && state == .waiting
        || first == "awaitsTime" && state == .waiting
        || first == "awaitsRetry" && state == .retrying
        || first == "awaitsStepRetry" && state == .retrying
    case "excluded": return first == "passesOn" && state == .due
    case "running": return first == "runs" && state == .running
    case "parked": return first.hasPrefix("parkedBy") && state == .parked
    case "suspect": return names.contains("dueAsSuspect") && state == .due
    case "ended":
      return names.isEmpty || ["settled", "abandoned", "dueTooLate"].contains(first)
    default: return false
    }
  }
}
