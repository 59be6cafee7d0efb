#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A point in time of the wall clock: nanoseconds since 1970 in UTC.
///
/// A deadline is a timestamp, created from the current time, a duration from now, or a date:
///
/// ```swift
/// let answer = try await ledger.createPromise(of: Answer.self, deadline: .now + .seconds(30))
/// let retry = try await ledger.createTimer(until: .after(.seconds(3_600)))
/// let reminder = try await ledger.createTimer(key: PromiseKey("tea"), until: Timestamp(date))
/// ```
///
/// Times of events are informative; the order of events is their ``Position``. Deadlines and retention use
/// the store's clock, or the configured clock.
public struct Timestamp: Sendable, Hashable, Comparable, Codable {
  /// Nanoseconds since 1970-01-01T00:00:00Z, without leap seconds.
  public let nanosecondsSinceEpoch: Int64

  /// Creates a timestamp from its nanoseconds since 1970-01-01T00:00:00Z.
  public init(nanosecondsSinceEpoch: Int64) {
    self.nanosecondsSinceEpoch = nanosecondsSinceEpoch
  }

  /// Tells whether the left time is earlier.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch
  }

  /// The time `duration` later, clamped to the ends of the range (the years 1677 and 2262).
  public static func + (time: Timestamp, duration: Duration) -> Timestamp {
    let (sum, overflow) = time.nanosecondsSinceEpoch.addingReportingOverflow(
      duration.clampedNanoseconds)
    guard overflow else { return Timestamp(nanosecondsSinceEpoch: sum) }
    return Timestamp(nanosecondsSinceEpoch: duration < .zero ? .min : .max)
  }

  /// The duration from the right time to the left one.
  public static func - (left: Timestamp, right: Timestamp) -> Duration {
    .nanoseconds(left.nanosecondsSinceEpoch) - .nanoseconds(right.nanosecondsSinceEpoch)
  }
}

extension Timestamp: CustomStringConvertible {
  /// The time in UTC in RFC 3339 format, in microseconds: `2026-01-31T12:00:00.000000Z`.
  public var description: String {
    let (seconds, nanoseconds) = nanosecondsSinceEpoch.quotientAndRemainderRoundedDown(
      dividingBy: 1_000_000_000)
    let date = Date(timeIntervalSince1970: Double(seconds))
    let microseconds = String(nanoseconds / 1_000)
    let padding = String(repeating: "0", count: 6 - microseconds.count)
    return date.formatted(.iso8601).dropLast() + "." + padding + microseconds + "Z"
  }
}

extension Duration {
  /// Whole nanoseconds, clamped to the range of 64 bits (about 292 years).
  package var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflowOfSum) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    guard !overflow, !overflowOfSum else { return seconds < 0 ? .min : .max }
    return sum
  }
}

extension Int64 {
  fileprivate func quotientAndRemainderRoundedDown(dividingBy divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
