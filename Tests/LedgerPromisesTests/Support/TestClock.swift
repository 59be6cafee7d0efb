import LedgerPromises
import PromiseLedgerTesting

/// Clocks for rows of tables.
enum TestClock {
  /// Time never passes.
  static let still = ManualClock()
  /// Whatever is slept for has passed already.
  static let running = SkippingClock()
}

/// A clock on which every sleep is over at once.
struct SkippingClock: Clock, Sendable {
  typealias Instant = ManualClock.Instant

  var now: Instant { ManualClock().now }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
  }
}
