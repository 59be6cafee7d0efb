import Synchronization

/// Counts down to zero, over threads.
@usableFromInline
final class Countdown: Sendable {
  private let remaining: Atomic<Int>

  init(_ count: Int) {
    self.remaining = Atomic(count)
  }

  /// Whether this call was the last one.
  func countDown() -> Bool {
    remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }
}
