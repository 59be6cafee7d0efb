/// The number of events that the next slice folds, so that writers wait for a bounded time only.
///
/// Most of the time under the lock may be spent on the disk, which a smaller slice does not shorten. So it
/// uses the median of a few slices, and does not go below a number of events that take little time
/// themselves.
package struct SlicePace {
  /// The bounds for ids ordered by time, or for unordered ids, such as those of keys.
  private struct Bounds {
    /// The target for the longest lock; the promised bound is a third higher.
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

  /// The wait from which another writer is assumed to be present.
  private static let noticedWait = Duration.microseconds(20)
  /// The number of slices for which a writer is expected after it was noticed.
  private static let slicesOfCaution = 16

  /// The length of a rest, as a multiple of the slice before it. A slice also costs writers the look-ups in a
  /// snapshot that moved, so a rest as long as the slice would leave them little more than half of their
  /// throughput.
  private static let restPerWork = 3

  /// The number of unfolded events from which it rests less, and not at all unless it still gains on the
  /// writers. Writers that write faster than it folds have to wait a little, or the log would grow forever.
  package static let longTail = 100_000
  private static let restPerWorkAtLongTail = 1

  private var cautiousSlices = 0
  private var lastTail: Int?

  /// The time to rest after a slice: while others write, long enough that they keep more than half of their
  /// throughput.
  ///
  /// - Parameters:
  ///   - duration: The duration of the slice without waiting.
  ///   - eventCount: The number of events that it folded.
  ///   - wait: The time that it waited for other writers.
  ///   - tail: The number of events that are not folded yet.
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

  /// Makes slices smaller, because there was not enough space for one.
  ///
  /// - Returns: Whether that is possible.
  package mutating func shrink() -> Bool {
    guard eventCount > 16 else { return false }
    eventCount /= 2
    return true
  }

  // MARK: Bounding the lock

  /// Adapts to the time for which a slice locked writers out.
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
      // The growth is slow enough to stay below the bound, and a disk that was slow for a while is forgotten.
      eventCount = min(Self.mostEvents, eventCount + eventCount / 4)
    }
  }
}
