/// A point in time of the wall clock: nanoseconds since 1970 in UTC.
///
/// A deadline is a timestamp, which is counted from the time of the ledger, or made from a date:
///
/// ```swift
/// let answer = try await ledger.createPromise(of: Answer.self, deadline: ledger.now + .seconds(30))
/// let retry = try await ledger.createTimer(until: ledger.now + .seconds(3_600))
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
    let (days, second) = seconds.quotientAndRemainderRoundedDown(dividingBy: 86_400)
    let date = CalendarDate(daysSinceEpoch: days)
    var text: [UInt8] = []
    text.reserveCapacity(27)
    func add(_ number: Int64, digits count: Int, after separator: Unicode.Scalar? = nil) {
      if let separator { text.append(UInt8(ascii: separator)) }
      var divisor = (1..<count).reduce(1) { power, _ in power * 10 } as Int64
      while divisor > 0 {
        text.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
        divisor /= 10
      }
    }
    add(date.year, digits: 4)
    add(date.month, digits: 2, after: "-")
    add(date.day, digits: 2, after: "-")
    add(second / 3_600, digits: 2, after: "T")
    add(second / 60 % 60, digits: 2, after: ":")
    add(second % 60, digits: 2, after: ":")
    add(nanoseconds / 1_000, digits: 6, after: ".")
    text.append(UInt8(ascii: "Z"))
    return String(decoding: text, as: UTF8.self)
  }
}

/// A day of the Gregorian calendar. Lists show so many times that a formatter of dates is too slow for them.
private struct CalendarDate {
  let year: Int64
  let month: Int64
  let day: Int64

  /// - Parameter daysSinceEpoch: The number of days since 1970-01-01.
  init(daysSinceEpoch: Int64) {
    // Years are counted from the first of March, so that a leap day is the last day of its year, and in groups
    // of 400, each of which has the same number of days.
    let (group, dayOfGroup) = (daysSinceEpoch + 719_468).quotientAndRemainderRoundedDown(
      dividingBy: 146_097)
    let yearOfGroup =
      (dayOfGroup - dayOfGroup / 1_460 + dayOfGroup / 36_524 - dayOfGroup / 146_096) / 365
    let dayOfYear = dayOfGroup - (365 * yearOfGroup + yearOfGroup / 4 - yearOfGroup / 100)
    // Five months from March on have 153 days, as have five from August on.
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = group * 400 + yearOfGroup + (month <= 2 ? 1 : 0)
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
