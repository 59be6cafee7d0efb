import LedgerSystem

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Timestamp {
  /// The current time of the system clock.
  ///
  /// A ledger on a server, or with a clock of its own (``LedgerConfiguration/clock``), does not judge by it: count
  /// deadlines from ``Ledger/now``.
  public static var now: Timestamp {
    Timestamp(nanosecondsSinceEpoch: WallClock.nowNanoseconds)
  }

  /// The time that is `duration` from now, by the system clock.
  public static func after(_ duration: Duration) -> Timestamp { now + duration }

  /// The same time as a date, to the nearest nanosecond that the date can represent, clamped to the range
  /// from the year 1677 to 2262. A date that is not a number becomes the reference date, 2001.
  public init(_ date: Date) {
    // A date counts from 2001, so its whole seconds are split off before the offset makes them larger.
    let interval = date.timeIntervalSinceReferenceDate
    let seconds = interval.rounded(.down)
    let nanoseconds = interval.isFinite ? ((interval - seconds) * 1e9).rounded() : 0
    let sinceEpoch = Int64(clamping: seconds).addingReportingOverflow(Self.referenceSeconds)
    let whole = sinceEpoch.overflow ? Int64.max : sinceEpoch.partialValue
    self = Timestamp(nanosecondsSinceEpoch: 0) + .seconds(whole) + .nanoseconds(Int64(nanoseconds))
  }

  /// The seconds from 1970 to 2001, the reference date of Foundation.
  fileprivate static let referenceSeconds: Int64 = 978_307_200
}

extension Date {
  /// The same time as a timestamp, to about 100 nanoseconds: a date stores seconds in a `Double`.
  public init(_ timestamp: Timestamp) {
    let (seconds, nanoseconds) = timestamp.nanosecondsSinceEpoch.quotientAndRemainder(
      dividingBy: 1_000_000_000)
    self.init(
      timeIntervalSinceReferenceDate:
        Double(seconds - Timestamp.referenceSeconds) + Double(nanoseconds) / 1e9)
  }
}

extension Int64 {
  /// The nearest number; zero for NaN.
  fileprivate init(clamping value: Double) {
    if let exact = Int64(exactly: value) {
      self = exact
    } else {
      self = value > 0 ? .max : value < 0 ? .min : 0
    }
  }
}
