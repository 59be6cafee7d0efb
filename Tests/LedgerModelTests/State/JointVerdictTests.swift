import LedgerModelTestSupport
import Testing

@testable import LedgerModel

/// The rules of joints, compared with an oracle that is told of one settlement after the other.
@Suite(.timeLimit(.minutes(10))) struct JointVerdictTests {
  /// The state of a joint according to the contract, told of settlements in the order in which they happen.
  private struct Oracle {
    let rule: PromiseCreated.Joint.Rule
    let inputCount: Int
    var verdict = JointVerdict.undecided
    var arrivals: [(input: PromiseID, isFulfilment: Bool)] = []

    mutating func settle(_ input: PromiseID, isFulfilment: Bool) {
      arrivals.append((input, isFulfilment))
      guard verdict == .undecided else { return }
      let isLast = arrivals.count == inputCount
      switch (rule, isFulfilment) {
      case (.all, false), (.race, false): verdict = .like(input)
      case (.any, true), (.race, true): verdict = .fulfilled(by: input)
      case (.all, true), (.allSettled, _): if isLast { verdict = .fulfilled(by: nil) }
      case (.any, false): if isLast { verdict = .noneFulfilled(first: arrivals[0].input) }
      }
    }
  }

  @Test(arguments: PromiseCreated.Joint.Rule.allCases, 1...5)
  func everyOrderOfSettlementDecidesLikeTheOracle(
    rule: PromiseCreated.Joint.Rule, count: Int
  ) {
    let ids = (1...count).map(PromiseID.numbered)
    var checkCount = 0
    for outcomes in 0..<(1 << count) {
      for order in permutations(of: Array(0..<count)) {
        var oracle = Oracle(rule: rule, inputCount: count)
        var settlements: [PromiseID: JointVerdict.Settlement] = [:]
        for (place, index) in order.enumerated() {
          let isFulfilment = outcomes >> index & 1 == 1
          oracle.settle(ids[index], isFulfilment: isFulfilment)
          settlements[ids[index]] = JointVerdict.Settlement(
            at: Position(rawValue: UInt64(place + 1)), isFulfilment: isFulfilment)
          let inputs = ids.map { JointVerdict.Input($0, settlements[$0]) }
          let verdict = JointVerdict(rule, of: inputs)
          // Once it is decided, a joint is never asked again; then only the first answer counts.
          guard verdict != oracle.verdict else {
            checkCount += 1
            continue
          }
          Issue.record("\(rule) of \(outcomes) in the order \(order), \(place): \(verdict)")
        }
      }
    }
    #expect(checkCount == (1 << count) * count * (1...count).reduce(1, *))
  }

  @Test func allOfNothingIsFulfilled() {
    #expect(JointVerdict(.all, of: []) == .fulfilled(by: nil))
    #expect(JointVerdict(.allSettled, of: []) == .fulfilled(by: nil))
    #expect(JointVerdict(.race, of: []) == .undecided)
  }

  private func permutations(of items: [Int]) -> [[Int]] {
    guard let last = items.last else { return [[]] }
    return permutations(of: Array(items.dropLast())).flatMap { shorter in
      (0...shorter.count).map { Array(shorter[..<$0]) + [last] + shorter[$0...] }
    }
  }
}
