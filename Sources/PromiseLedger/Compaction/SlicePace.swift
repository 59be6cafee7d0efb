/// How many events the next slice folds, so that writers wait for a bounded time only.
package struct SlicePace {
  /// For ids in the order of time, and for those in no order, such as those of keys.
  private static let targets = (
    ordered: Duration.milliseconds(2), random: Duration.milliseconds(20)
  )

  package private(set) var eventCount = 500

  package init() {}

  /// Takes in how long writers were locked out for a slice.
  package mutating func adapt(to lock: Duration, isRandom: Bool) {
    let target = isRandom ? Self.targets.random : Self.targets.ordered
    if lock > target {
      let ratio = max(0.1, 0.8 * (target / lock))
      eventCount = max(64, Int(Double(eventCount) * ratio))
    } else if lock * 2 < target {
      eventCount = min(10_000, eventCount + eventCount / 2)
    }
  }
}
