import ArgumentParser
import Foundation
import LedgerRuntime

/// A time in UTC: `2026-01-31`, `2026-01-31T12:00:00Z`, or with a fraction of the second.
struct TimeArgument: ExpressibleByArgument {
  let time: Timestamp

  init?(argument: String) {
    let parts = argument.split(separator: ".", maxSplits: 1)
    guard let whole = parts.first else { return nil }
    var text = String(whole)
    var nanoseconds: Int64 = 0
    if parts.count == 2 {
      let digits = parts[1].dropLast()
      guard parts[1].last == "Z", (1...9).contains(digits.count),
        digits.allSatisfy(\.isWholeNumber), let fraction = Int64(digits)
      else { return nil }
      nanoseconds = (digits.count..<9).reduce(fraction) { number, _ in number * 10 }
      text += "Z"
    }
    if !text.contains("T") { text += "T00:00:00Z" }
    // Parsing alone accepts the 31st of February as a day in March.
    guard let date = try? Date(text, strategy: .iso8601), date.formatted(.iso8601) == text
    else { return nil }
    let seconds = Int64(date.timeIntervalSince1970)
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, sumOverflow) = scaled.addingReportingOverflow(nanoseconds)
    guard !overflow, !sumOverflow else { return nil }
    time = Timestamp(nanosecondsSinceEpoch: sum)
  }
}
