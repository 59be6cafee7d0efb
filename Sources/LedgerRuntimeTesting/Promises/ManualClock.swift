import Synchronization

/// A clock for tests, on which time passes only when the test advances it.
///
/// ```swift
/// let clock = ManualClock()
/// let limited = promise.timeout(.seconds(5), clock: clock)
/// clock.advance(by: .seconds(5))
/// ```
/// A sleeper that arrives after its deadline wakes at once, so a test need not know whether a timer's task
/// has begun to sleep. Only a test that advances repeatedly has to wait for ``sleepers(atLeast:)``.
public final class ManualClock: Clock, Sendable {
  /// A point in the time of a manual clock.
  public struct Instant: InstantProtocol, Hashable, Sendable {
    /// The time since the clock was made.
    public let offset: Duration

    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Watcher {
    let counts: ClosedRange<Int>
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var nextID: UInt64 = 0
    var sleepers: [UInt64: Sleeper] = [:]
    var cancelled: Set<UInt64> = []
    var watchers: [Watcher] = []

    mutating func takeSatisfiedWatchers() -> [Watcher] {
      let satisfied = watchers.filter { $0.counts.contains(sleepers.count) }
      watchers.removeAll { $0.counts.contains(sleepers.count) }
      return satisfied
    }
  }

  private let state = Mutex(State())

  /// Makes a clock that shows zero.
  public init() {}

  /// The current time of the clock.
  public var now: Instant { state.withLock { $0.now } }

  /// The minimum resolution, which is zero.
  public var minimumResolution: Duration { .zero }

  /// The number of sleeping tasks.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Advances the time and wakes the tasks whose deadlines have passed, earliest first.
  ///
  /// A negative duration has no effect: this clock does not go back.
  public func advance(by duration: Duration) {
    let (woken, satisfied) = state.withLock { state in
      state.now = state.now.advanced(by: max(duration, .zero))
      let now = state.now
      let woken = state.sleepers.filter { $0.value.deadline <= now }
      for id in woken.keys { state.sleepers[id] = nil }
      let order = woken.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
      return (order, state.takeSatisfiedWatchers())
    }
    for (_, sleeper) in woken { sleeper.continuation.resume() }
    for watcher in satisfied { watcher.continuation.resume() }
  }

  /// Waits until at least `count` tasks sleep.
  public func sleepers(atLeast count: Int) async {
    await sleepers(count...Int.max)
  }

  /// Waits until at most `count` tasks sleep, because the others woke or were cancelled.
  public func sleepers(atMost count: Int) async {
    await sleepers(0...count)
  }

  private func sleepers(_ counts: ClosedRange<Int>) async {
    await withCheckedContinuation { continuation in
      let satisfied = state.withLock { state in
        state.watchers.append(Watcher(counts: counts, continuation: continuation))
        return state.takeSatisfiedWatchers()
      }
      for watcher in satisfied { watcher.continuation.resume() }
    }
  }

  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        begin(Sleeper(deadline: deadline, continuation: continuation), id)
      }
    } onCancel: {
      let (sleeper, satisfied) = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: id)
        if sleeper == nil { state.cancelled.insert(id) }
        return (sleeper, state.takeSatisfiedWatchers())
      }
      sleeper?.continuation.resume(throwing: CancellationError())
      for watcher in satisfied { watcher.continuation.resume() }
    }
    state.withLock { _ = $0.cancelled.remove(id) }
  }

  private func begin(_ sleeper: Sleeper, _ id: UInt64) {
    let (result, satisfied) = state.withLock { state -> (Result<Void, any Error>?, [Watcher]) in
      if state.cancelled.remove(id) != nil { return (.failure(CancellationError()), []) }
      if sleeper.deadline <= state.now { return (.success(()), []) }
      state.sleepers[id] = sleeper
      return (nil, state.takeSatisfiedWatchers())
    }
    if let result { sleeper.continuation.resume(with: result) }
    for watcher in satisfied { watcher.continuation.resume() }
  }
}
