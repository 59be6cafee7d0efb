import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// Trees of promises.
@Suite(.timeLimit(.minutes(10))) struct PromiseTreeTests {
  /// The nodes as text: depth, relation, number, and marks.
  private func tree(
    _ number: Int, in ledger: WorkLedger, limit: Int = 1_000
  ) throws -> [String] {
    let tree = try #require(
      try ledger.replayed().tree(of: .numbered(number), at: .second(2_000), limit: limit))
    return tree.nodes.map(\.text) + (tree.leftOutCount > 0 ? ["\(tree.leftOutCount) left out"] : [])
  }

  private func create(_ number: Int, _ creation: PromiseCreated, in ledger: WorkLedger) throws {
    try ledger.commit(
      CreatePromise(id: .numbered(number), creation: creation, isStrict: true))
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func childrenAndContinuationsAreBelow(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try create(1, .inTree(), in: ledger)
    try create(2, .inTree(after: 1), in: ledger)
    try create(3, .inTree(parent: 1), in: ledger)
    try create(4, .inTree(parent: 1, isWork: false), in: ledger)
    try create(5, .inTree(after: 4), in: ledger)
    try create(6, .inTree(parent: 3), in: ledger)
    try create(7, .inTree(), in: ledger)
    let all = [
      "0 1 due", "1 child 3 due", "2 child 6 due", "1 child 4 pending",
      "2 continuation 5 waiting", "1 continuation 2 waiting",
    ]
    #expect(try tree(1, in: ledger) == all)
    #expect(try tree(4, in: ledger) == ["0 4 pending", "1 continuation 5 waiting"])
    #expect(try tree(7, in: ledger) == ["0 7 due"])
    #expect(try ledger.replayed().tree(of: .numbered(9), at: .second(2_000)) == nil)
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func inputsAreBelowTheirJoint(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    for number in 1...2 { try ledger.createPromise(number) }
    try create(3, .inTree(after: 1), in: ledger)
    try ledger.join(4, .all, of: 2, 3, 1)
    try ledger.join(5, .race, of: 4, 2)
    try create(6, .inTree(after: 5), in: ledger)
    #expect(
      try tree(5, in: ledger) == [
        "0 5 pending", "1 input 4 pending", "2 input 2 again", "2 input 3 waiting",
        "2 input 1 pending", "3 continuation 3 again", "1 input 2 pending",
        "1 continuation 6 waiting",
      ])
    #expect(try tree(2, in: ledger) == ["0 2 pending"])
  }

  /// What is settled, and work that no longer awaits a promise, stays where it was.
  @Test(arguments: WorkLedger.Form.allCases)
  func settledPromisesStay(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try create(1, .inTree(), in: ledger)
    try create(2, .inTree(parent: 1), in: ledger)
    try create(3, .inTree(after: 2), in: ledger)
    try create(4, .inTree(parent: 1, isWork: false), in: ledger)
    try create(5, .inTree(after: 1), in: ledger)
    ledger.context.now = .second(1_001)
    try ledger.claim(1, 2)
    try ledger.finish(2)
    try ledger.claim(3)
    try ledger.resolve(4, .rejected)
    #expect(
      try tree(1, in: ledger) == [
        "0 1 running", "1 child 2 fulfilled", "2 continuation 3 running", "1 child 4 rejected",
        "1 continuation 5 waiting",
      ])
    try ledger.finish(3, .finalFailure)
    try ledger.finish(1)
    #expect(
      try tree(1, in: ledger) == [
        "0 1 fulfilled", "1 child 2 fulfilled", "2 continuation 3 rejected", "1 child 4 rejected",
        "1 continuation 5 due",
      ])
  }

  /// Work that awaits its child is not drawn below it again.
  @Test(arguments: WorkLedger.Form.allCases)
  func aParentThatWaitsIsNotRepeated(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try create(1, .inTree(), in: ledger)
    try create(2, .inTree(parent: 1), in: ledger)
    try create(3, .inTree(), in: ledger)
    for number in [1, 3] {
      try ledger.claim(number)
      let condition = WorkCondition(promises: [.numbered(2)])
      _ = try ledger.commit(
        SuspendWork(id: .numbered(number), attempt: 1, until: condition))
    }
    #expect(
      try tree(1, in: ledger) == ["0 1 waiting", "1 child 2 due", "2 continuation 3 waiting"])
    #expect(
      try tree(2, in: ledger)
        == ["0 2 due", "1 continuation 1 waiting", "2 child 2 again", "1 continuation 3 waiting"])
  }

  @Test func circlesEnd() throws {
    let ledger = try WorkLedger()
    try ledger.append([
      .of(PromiseCreated.inTree(after: 3), on: PromiseID.numbered(1).entityID),
      .of(PromiseCreated.inTree(after: 1), on: PromiseID.numbered(2).entityID),
      .of(PromiseCreated.inTree(after: 2), on: PromiseID.numbered(3).entityID),
      .of(PromiseCreated.inTree(after: 4), on: PromiseID.numbered(4).entityID),
      .of(PromiseCreated.inTree(parent: 5), on: PromiseID.numbered(5).entityID),
    ])
    #expect(
      try tree(1, in: ledger) == [
        "0 1 waiting", "1 continuation 2 waiting", "2 continuation 3 waiting",
        "3 continuation 1 again",
      ])
    #expect(try tree(4, in: ledger) == ["0 4 waiting", "1 continuation 4 again"])
    #expect(try tree(5, in: ledger) == ["0 5 due", "1 child 5 again"])
  }

  /// The deepest levels are left out first.
  @Test(arguments: [
    (
      6,
      [
        "0 1 due", "1 child 2 due", "2 child 4 due", "2 child 5 due", "1 child 3 due",
        "2 child 6 due",
      ]
    ),
    (
      4,
      [
        "0 1 due", "1 child 2 due, lacks 1", "2 child 4 due", "1 child 3 due, lacks 1",
        "2 left out",
      ]
    ),
    (2, ["0 1 due, lacks 1", "1 child 2 due, lacks 2", "4 left out"]),
    (1, ["0 1 due, lacks 2", "5 left out"]),
  ])
  func aLimitCutsTheDeepestLevels(limit: Int, lines: [String]) throws {
    let ledger = try WorkLedger()
    for (number, parent) in [(1, nil), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3)] {
      try create(number, .inTree(parent: parent), in: ledger)
    }
    #expect(try tree(1, in: ledger, limit: limit) == lines)
  }

  /// A chain that recursion would not survive.
  @Test func aLongChainIsFollowed() throws {
    let count = 100_000
    let ids = (0..<count).map { PromiseID(entityID: EntityID(high: 1, low: UInt64($0))) }
    for limit in [Int.max, 1_000] {
      let plan = try TreePlan(from: ids[0], limit: limit) { (id) throws(LedgerError) in
        let next = Int(id.entityID.low) + 1
        return next < count ? [(ids[next], .continuation)] : []
      }
      let places = plan.inOrder
      let kept = min(limit, count)
      // A failure would compare the arrays at length.
      let isChain = places.map(\.id) == Array(ids.prefix(kept))
      #expect(isChain && plan.leftOutCount == count - kept)
      #expect(places.last?.depth == kept - 1)
      #expect(places.last?.leftOutCount == (kept < count ? 1 : 0))
    }
  }

  /// Records that only a later version can read are known by their entries in lists.
  @Test func unreadablePromisesAreShown() throws {
    let ledger = try WorkLedger(.folded)
    try create(1, .inTree(), in: ledger)
    try create(2, .inTree(parent: 1), in: ledger)
    try create(3, .inTree(after: 1), in: ledger)
    try create(4, .inTree(parent: 2), in: ledger)
    try ledger.foldAsLaterVersion(2)
    try ledger.foldAsLaterVersion(3)
    #expect(
      try tree(1, in: ledger) == [
        "0 1 due", "1 child 2 unreadable", "2 child 4 due", "1 continuation 3 unreadable",
      ])
    let error = #expect(throws: LedgerError.self) { try tree(2, in: ledger) }
    #expect(error?.code == .unsupportedEvent)
  }
}

extension PromiseTree.Node {
  fileprivate var text: String {
    let relation = relation.map { " \($0)" } ?? ""
    let number = (id.entityID.high >> 16 & 0xFFFF_FFFF) - 0x1_0000
    let state =
      if isRepeated {
        "again"
      } else if let standing {
        standing.state == .orphaned ? "due" : "\(standing.state)"
      } else {
        record.map { $0.outcomeKind.map { "\($0)" } ?? "\($0.status)" } ?? "unreadable"
      }
    return
      "\(depth)\(relation) \(number) \(state)\(leftOutCount > 0 ? ", lacks \(leftOutCount)" : "")"
  }
}
