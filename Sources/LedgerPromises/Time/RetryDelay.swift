/// How long to wait between two attempts.
public struct RetryDelay: Sendable, Hashable {
  private let first: Duration
  private let factor: Double
  private let longest: Duration

  /// No wait.
  public static let none = RetryDelay.constant(.zero)

  /// The same wait each time; less than zero is no wait.
  public static func constant(_ duration: Duration) -> RetryDelay {
    RetryDelay(first: max(duration, .zero), factor: 1, longest: max(duration, .zero))
  }

  /// A wait that grows by `factor` each time, up to `longest`.
  ///
  /// A factor below one, or not a number, counts as one; durations below zero count as zero.
  public static func exponential(
    first: Duration,
    factor: Double = 2,
    longest: Duration = .seconds(60)
  ) -> RetryDelay {
    RetryDelay(
      first: min(max(first, .zero), max(longest, .zero)), factor: factor >= 1 ? factor : 1,
      longest: max(longest, .zero))
  }

  /// The wait behind the attempt with the given number, counted from one.
  ///
  /// - Complexity: O(log(`longest` / `first`)).
  public func delay(afterAttempt attempt: Int) -> Duration {
    guard factor > 1, first > .zero else { return first }
    var delay = first
    var round = 1
    while round < attempt, delay < longest {
      // Compared before it is multiplied, so that no factor overflows the duration.
      guard delay < longest / factor else { return longest }
      delay = delay * factor
      round += 1
    }
    return min(delay, longest)
  }
}
