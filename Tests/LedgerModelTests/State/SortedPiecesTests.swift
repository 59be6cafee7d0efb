import LedgerModelTestSupport
import LedgerTestSupport
import Testing

@testable import LedgerModel

/// Sorted values in pieces, compared with a sorted array.
@Suite(.timeLimit(.minutes(10))) struct SortedPiecesTests {
  private func values(
    of pieces: SortedPieces<Int>, from first: Int = .min, limit: Int = .max
  ) throws -> [Int] {
    var values: [Int] = []
    try pieces.visit(
      after: { $0 < first },
      { (value) throws(LedgerError) in
        guard values.count < limit else { return false }
        values.append(value)
        return true
      })
    return values
  }

  private func check(_ pieces: SortedPieces<Int>, _ expected: Set<Int>) throws {
    let sorted = expected.sorted()
    var all: [Int] = []
    pieces.visitAll { all.append($0) }
    #expect(all == sorted)
    #expect(pieces.first == sorted.first)
    #expect(pieces.isEmpty == sorted.isEmpty)
    for first in [-1, 0, 127, 128, 129, 500, 2_999, 5_000] {
      let rest = Array(sorted.drop { $0 < first })
      #expect(try values(of: pieces, from: first) == rest, "from \(first)")
      #expect(try values(of: pieces, from: first, limit: 3) == Array(rest.prefix(3)))
    }
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func valuesComeInOrderHoweverTheyCameAndWent(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var pieces = SortedPieces<Int>()
    var expected: Set<Int> = []
    for round in 0..<6 {
      for number in 0..<700 {
        let value =
          round.isMultiple(of: 2) ? 700 * round + number : .random(in: 0..<3_000, using: &generator)
        if expected.insert(value).inserted { pieces.insert(value) }
      }
      try check(pieces, expected)
      let copy = (pieces, expected)
      for _ in 0..<(round == 5 ? 0 : 500) {
        let value = Int.random(in: 0..<3_000, using: &generator)
        pieces.remove(value)
        expected.remove(value)
      }
      try check(pieces, expected)
      // A copy does not change.
      try check(copy.0, copy.1)
    }
    for value in expected.shuffled(using: &generator) { pieces.remove(value) }
    try check(pieces, [])
  }
}
