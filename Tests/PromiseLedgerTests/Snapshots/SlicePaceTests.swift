import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// How many events a slice folds follows how long writers are locked out.
@Suite(.timeLimit(.minutes(10))) struct SlicePaceTests {
  /// The pace after a number of slices, each of which took as long as `lock`.
  private func pace(
    _ count: Int, isRandom: Bool = false, _ lock: (_ number: Int, _ eventCount: Int) -> Duration
  ) -> SlicePace {
    var pace = SlicePace()
    for number in 0..<count {
      pace.adapt(to: lock(number, pace.eventCount), isRandom: isRandom)
    }
    return pace
  }

  @Test func slicesGrowWhileTheyAreQuick() {
    #expect(pace(300) { _, _ in .microseconds(300) }.eventCount == 10_000)
  }

  @Test(arguments: [false, true])
  func slicesSettleWhereTheyTakeTheTimeThatTheyMay(isRandom: Bool) {
    let bound = isRandom ? Duration.milliseconds(20) : .milliseconds(2)
    let perEvent = isRandom ? Duration.microseconds(40) : .nanoseconds(500)
    let settled = pace(300, isRandom: isRandom) { _, eventCount in perEvent * eventCount }
    #expect(perEvent * settled.eventCount <= bound)
    #expect(perEvent * settled.eventCount >= bound / 2)
  }

  @Test func oneSlowWriteOfTheDiskChangesNothing() {
    let steady = pace(30) { _, _ in .milliseconds(1) }
    let disturbed = pace(30) { number, _ in
      number.isMultiple(of: 3) ? .milliseconds(50) : .milliseconds(1)
    }
    #expect(disturbed.eventCount == steady.eventCount)
  }

  @Test(arguments: [false, true])
  func aSlowDiskDoesNotMakeSlicesTiny(isRandom: Bool) {
    let slow = pace(300, isRandom: isRandom) { _, _ in .milliseconds(60) }
    #expect(slow.eventCount == (isRandom ? 250 : 1_000))
  }

  @Test(arguments: [false, true])
  func aDiskThatWasSlowForAWhileIsForgotten(isRandom: Bool) {
    let bound = isRandom ? Duration.milliseconds(20) : .milliseconds(2)
    let perEvent = isRandom ? Duration.microseconds(32) : .nanoseconds(800)
    let settled = pace(600, isRandom: isRandom) { number, eventCount in
      (300..<330).contains(number) ? .milliseconds(60) : perEvent * eventCount
    }
    #expect(perEvent * settled.eventCount >= bound / 2)
  }

  @Test func foldingRestsWhileOthersWriteAndNotOtherwise() {
    var pace = SlicePace()
    func rest(wait: Duration) -> Duration {
      pace.rest(after: .milliseconds(8), of: 1_000, wait: wait, tail: 10)
    }
    for _ in 0..<50 { #expect(rest(wait: .microseconds(2)) == .zero) }
    #expect(rest(wait: .milliseconds(1)) == .milliseconds(24))
    // By chance none was met this time.
    #expect(rest(wait: .zero) == .milliseconds(24))
    for _ in 0..<20 { _ = rest(wait: .zero) }
    #expect(rest(wait: .zero) == .zero)
  }

  @Test func beforeALongTailFoldingRestsOnlyWhileItGainsOnTheWriters() {
    var pace = SlicePace()
    var tail = 2 * SlicePace.longTail
    func rest(writtenMeanwhile: Int) -> Duration {
      tail += writtenMeanwhile - 1_000
      return pace.rest(
        after: .milliseconds(8), of: 1_000, wait: .milliseconds(1), tail: tail)
    }
    #expect(rest(writtenMeanwhile: 0) == .milliseconds(8))
    #expect(rest(writtenMeanwhile: 500) == .milliseconds(8))
    #expect(rest(writtenMeanwhile: 501) == .zero)
    #expect(rest(writtenMeanwhile: 2_000) == .zero)
    #expect(rest(writtenMeanwhile: 100) == .milliseconds(8))
    tail = SlicePace.longTail
    #expect(rest(writtenMeanwhile: 999) == .milliseconds(24))
  }
}
