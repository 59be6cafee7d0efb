extension Duration {
  private static let units: [(name: String, nanoseconds: Int64)] = [
    ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("min", 60_000_000_000),
    ("s", 1_000_000_000), ("ms", 1_000_000), ("µs", 1_000),
  ]

  /// At most the largest number, which is 292 years: two times can be further apart.
  private var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isSumTooMuch) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isTooMuch || isSumTooMuch ? (seconds < 0 ? -.max : .max) : sum
  }

  /// The duration in its largest unit and, from a minute on, the next one: `2 s`, `1 h 30 min`.
  func longWords(isASCII: Bool) -> String {
    let nanoseconds = nanoseconds
    guard let index = Self.units.firstIndex(where: { nanoseconds >= $0.nanoseconds }), index < 3
    else { return words(isASCII: isASCII) }
    let (unit, next) = (Self.units[index], Self.units[index + 1])
    let whole = "\(nanoseconds / unit.nanoseconds) \(unit.name)"
    let rest = nanoseconds % unit.nanoseconds / next.nanoseconds
    return rest == 0 ? whole : "\(whole) \(rest) \(next.name)"
  }

  /// The duration in its largest unit, cut to a whole number: `14 min`; at least a second.
  var shortWords: String {
    let seconds = max(1, nanoseconds / 1_000_000_000) * 1_000_000_000
    let unit = Self.units.first { seconds >= $0.nanoseconds } ?? ("s", 1_000_000_000)
    return "\(seconds / unit.nanoseconds) \(unit.name)"
  }

  /// The duration in its largest unit, cut to one digit after the point: `2 s`, `1.5 h`.
  func words(isASCII: Bool) -> String {
    let nanoseconds = nanoseconds
    guard let unit = Self.units.first(where: { nanoseconds >= $0.nanoseconds }) else {
      return nanoseconds == 0 ? "0 s" : "\(nanoseconds) ns"
    }
    let name = isASCII && unit.name == "µs" ? "us" : unit.name
    let whole = nanoseconds / unit.nanoseconds
    let tenths = nanoseconds % unit.nanoseconds / (unit.nanoseconds / 10)
    return tenths == 0 ? "\(whole) \(name)" : "\(whole).\(tenths) \(name)"
  }
}
