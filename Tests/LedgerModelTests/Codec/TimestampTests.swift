import Foundation
import LedgerModelTestSupport
import Testing

@testable import LedgerModel

@Suite(.timeLimit(.minutes(10))) struct TimestampTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000000Z"),
      (999, "1970-01-01T00:00:00.000000Z"),
      (1_000, "1970-01-01T00:00:00.000001Z"),
      (-1, "1969-12-31T23:59:59.999999Z"),
      (-1_000_000_000, "1969-12-31T23:59:59.000000Z"),
      (-1_000_000_001, "1969-12-31T23:59:58.999999Z"),
      (1_769_860_800_000_000_000, "2026-01-31T12:00:00.000000Z"),
      (1_709_164_800_123_456_789, "2024-02-29T00:00:00.123456Z"),
      (.max, "2262-04-11T23:47:16.854775Z"),
      (.min, "1677-09-21T00:12:43.145224Z"),
    ] as [(Int64, String)])
  func aTimeIsShownInUTCWithMicroseconds(nanoseconds: Int64, text: String) {
    #expect(Timestamp.at(nanoseconds).description == text)
  }

  /// Foundation knows the calendar, too.
  @Test func everyDayIsThatOfTheCalendar() {
    let day = 86_400 as Int64
    for number in stride(from: -106_000, to: 106_000 as Int64, by: 1) {
      let seconds = number * day + (number &* 7_919 % day + day) % day
      let date = Date(timeIntervalSince1970: Double(seconds))
      let text = date.formatted(.iso8601).dropLast() + ".000000Z"
      guard Timestamp.at(seconds * 1_000_000_000).description != text else { continue }
      Issue.record("\(seconds) seconds are \(text)")
      return
    }
  }

  @Test(
    arguments: [
      (0, .seconds(1), 1_000_000_000), (0, .nanoseconds(-1), -1), (5, .zero, 5),
      (.max, .nanoseconds(1), .max), (.max, .seconds(1_000_000_000_000), .max),
      (.min, .nanoseconds(-1), .min), (.min, .seconds(-1_000_000_000_000), .min),
      (.max, .nanoseconds(-1), .max - 1), (.min, .nanoseconds(1), .min + 1),
      (-1, .nanoseconds(Int64.min), .min), (0, .nanoseconds(Int64.min), .min),
      (0, .seconds(Int64.max), .max), (0, .seconds(Int64.min), .min),
      (0, .seconds(9_223_372_036) + .nanoseconds(854_775_807), .max),
      (0, .seconds(9_223_372_036) + .nanoseconds(854_775_808), .max),
    ] as [(Int64, Duration, Int64)])
  func aDurationIsAddedWithoutPassingTheEndsOfTime(
    nanoseconds: Int64, duration: Duration, expected: Int64
  ) {
    #expect(Timestamp.at(nanoseconds) + duration == .at(expected))
  }

  @Test(
    arguments: [
      (5, 3, .nanoseconds(2)), (3, 5, .nanoseconds(-2)), (0, 0, .zero),
      (.max, .min, .nanoseconds(Int64.max) - .nanoseconds(Int64.min)),
    ] as [(Int64, Int64, Duration)])
  func theDifferenceOfTwoTimesIsExact(left: Int64, right: Int64, expected: Duration) {
    #expect(Timestamp.at(left) - Timestamp.at(right) == expected)
  }

  @Test func timesAreOrderedAlsoBefore1970() {
    let times: [Timestamp] = [.at(.min), .at(-1), .at(0), .at(1), .at(.max)]

    #expect(times.reversed().sorted() == times)
  }
}
