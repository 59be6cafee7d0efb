/// How many events the next slice folds, so that writers wait for a bounded time only.
///
/// Most of a lock's time can be the disk's, which no smaller slice makes shorter: so it looks at the
/// median of a few slices, and does not go below a number of events that take little time themselves.
package struct SlicePace {
  /// What holds for ids in the order of time, or for those in no order, such as those of keys.
  private struct Bounds {
    /// The longest lock that is aimed at; the promised bound is a third above.
    let lock: Duration
    let fewestEvents: Int

    static let ordered = Bounds(lock: .microseconds(1_500), fewestEvents: 1_000)
    static let random = Bounds(lock: .milliseconds(15), fewestEvents: 250)
  }

  private static let mostEvents = 10_000
  private static let samplesPerChange = 3

  package private(set) var eventCount = 500
  private var locks: [Duration] = []

  package init() {}

  // MARK: Leaving room for writers

  /// From this wait on, another writer was there.
  private static let noticedWait = Duration.microseconds(20)
  /// After a writer was noticed, it is expected for so many slices.
  private static let slicesOfCaution = 16

  /// A slice also costs writers the look-ups in a snapshot that moved, so that a rest as long as the slice
  /// would leave them little more than half of their throughput.
  private static let restPerWork = 3

  /// From so many events on that are not folded, it rests less, and not at all unless it gains on the
  /// writers nevertheless: whoever writes faster than this folds has to wait a little, or the log would
  /// grow for ever.
  package static let longTail = 100_000
  private static let restPerWorkAtLongTail = 1

  private var cautiousSlices = 0
  private var lastTail: Int?

  /// How long to rest after a slice: while others write, so long that they keep more than half of their
  /// throughput.
  ///
  /// - Parameters:
  ///   - duration: How long the slice took without waiting.
  ///   - eventCount: How many events it folded.
  ///   - wait: How long it waited for other writers.
  ///   - tail: How many events are left to be folded.
  package mutating func rest(
    after duration: Duration, of eventCount: Int, wait: Duration, tail: Int
  ) -> Duration {
    cautiousSlices = wait >= Self.noticedWait ? Self.slicesOfCaution : max(0, cautiousSlices - 1)
    let gain = lastTail.map { $0 - tail } ?? eventCount
    lastTail = tail
    guard cautiousSlices > 0 else { return .zero }
    guard tail >= Self.longTail else { return duration * Self.restPerWork }
    return 2 * gain >= eventCount ? duration * Self.restPerWorkAtLongTail : .zero
  }

  // MARK: Bounding the space

  /// Makes slices smaller, because there was no space for one.
  ///
  /// - Returns: Whether that is possible.
  package mutating func shrink() -> Bool {
    guard eventCount > 16 else { return false }
    eventCount /= 2
    return true
  }

  // MARK: Bounding the lock

  /// Takes in how long writers were locked out for a slice.
  package mutating func adapt(to lock: Duration, isRandom: Bool) {
    locks.append(lock)
    guard locks.count == Self.samplesPerChange else { return }
    let median = locks.sorted()[Self.samplesPerChange / 2]
    locks = []
    let bounds = isRandom ? Bounds.random : Bounds.ordered
    if median > bounds.lock {
      let ratio = max(0.25, 0.8 * (bounds.lock / median))
      eventCount = max(bounds.fewestEvents, Int(Double(eventCount) * ratio))
    } else if median * 4 < bounds.lock * 3 {
      // So that it stays below the bound, and a disk that was slow for a while is forgotten.
      eventCount = min(Self.mostEvents, eventCount + eventCount / 4)
    }
  }
}
