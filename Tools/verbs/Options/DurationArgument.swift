import ArgumentParser

/// A length of time: seconds, or a number with one of the units d, h, m and s; `forever` has no end.
struct DurationArgument: ExpressibleByArgument {
  private static let units: [(name: Character, seconds: Int64)] = [
    ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1),
  ]
  private static let maximumSeconds: Int64 = 36_500 * 86_400

  /// `nil` means forever.
  let duration: Duration?

  init(_ duration: Duration?) {
    self.duration = duration
  }

  init?(argument: String) {
    guard argument != "forever" else {
      duration = nil
      return
    }
    let unit = Self.units.first { $0.name == argument.last }
    let digits = unit == nil ? argument[...] : argument.dropLast()
    guard digits.allSatisfy({ $0.isASCII && $0.isWholeNumber }), let count = Int64(digits)
    else { return nil }
    let (seconds, overflow) = count.multipliedReportingOverflow(by: unit?.seconds ?? 1)
    guard !overflow, seconds <= Self.maximumSeconds else { return nil }
    duration = .seconds(seconds)
  }

  /// Its written form, with a space before the unit.
  var words: String {
    guard let duration else { return "forever" }
    let seconds = duration.components.seconds
    let unit = Self.units.first { seconds % $0.seconds == 0 && seconds > 0 } ?? ("s", 1)
    return "\(seconds / unit.seconds) \(unit.name)"
  }

  var defaultValueDescription: String { words.replacing(" ", with: "") }
}
