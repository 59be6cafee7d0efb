/// A manual clock for one timer, which reports when that timer is done.
///
/// A ``ManualClock`` knows when a sleep is over, but not when the code behind it has run. The timer's task
/// releases this clock when it ends, and the clock then calls a closure, provided that the test keeps no copy
/// of the clock.
package struct WatchedClock: Clock {
  private final class End: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }

    deinit { body() }
  }

  private let clock: ManualClock
  private let end: End

  package init(_ clock: ManualClock, whenReleased body: @escaping @Sendable () -> Void) {
    self.clock = clock
    self.end = End(body)
  }

  package var now: ManualClock.Instant { clock.now }

  package var minimumResolution: Duration { clock.minimumResolution }

  package func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }
}
