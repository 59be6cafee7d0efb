import LedgerModelTestSupport
import LedgerTestSupport
import Testing

@testable import LedgerModel

/// The ranges that retention removed, compared with a search of all of them.
@Suite(.timeLimit(.minutes(10))) struct RetentionRangesTests {
  @Test(arguments: 1...50 as ClosedRange<UInt64>)
  func rangesOfAnyPlansHideTheSameAsEachAlone(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var table = RemovalTable()
    var ranges: [RemovalTable.Range] = []
    var position: UInt64 = 1_000
    for _ in 0..<3 {
      var after = UInt64.random(in: 0...20, using: &random)
      for _ in 0..<Int.random(in: 1...9, using: &random) {
        let horizon = after + .random(in: 1...9, using: &random)
        let kept = UInt64.random(in: after...horizon, using: &random)
        position += 1
        let event = RetentionApplied(
          after: Position(rawValue: after), horizon: Position(rawValue: horizon), time: .at(0),
          removedCount: 1, kept: [.numbered(Int(kept))])
        let range = RemovalTable.Range(event, at: Position(rawValue: position))
        _ = table.apply(range)
        ranges.append(range)
        after = horizon + .random(in: 0...2, using: &random)
      }
    }
    #expect(table.runs.count <= 3)
    check(table, ranges)
    let dropped = Position(rawValue: (1_000 + position) / 2)
    table.dropRemovals(through: dropped)
    check(table, ranges.filter { $0.position > dropped })
    table.dropRemovals(through: Position(rawValue: position))
    #expect(table.isEmpty)
  }

  private func check(_ table: RemovalTable, _ ranges: [RemovalTable.Range]) {
    for closing in 0...120 {
      let position = Position(rawValue: UInt64(closing))
      let id = EntityID.numbered(closing)
      let isHidden = ranges.contains { $0.removes(id, closedAt: position) }
      #expect(table.hides(id, closedAt: position) == isHidden, "closed at \(closing)")
    }
  }

  @Test func theRangesOfOnePlanAreSearchedTogether() {
    var table = RemovalTable()
    for number in UInt64(0)..<1_000 {
      let event = RetentionApplied(
        after: Position(rawValue: number * 10), horizon: Position(rawValue: number * 10 + 10),
        time: .at(0), removedCount: 10, kept: [])
      _ = table.apply(RemovalTable.Range(event, at: Position(rawValue: 20_000 + number)))
    }
    #expect(table.runs.count == 1)
  }
}
