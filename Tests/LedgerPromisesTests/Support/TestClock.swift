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

extension Promise {
  /// A promise that stays pending, though nobody holds its resolver.
  func forEver() -> Promise<Value> {
    Promise {
      try await withTaskCancellationHandler {
        try await TestClock.never()
      } onCancel: {
      }
    }
  }
}

extension TestClock {
  /// Sleeps until the task is cancelled.
  static func never<Value>() async throws -> Value {
    try await ManualClock().sleep(for: .seconds(1))
    throw CancellationError()
  }
}
