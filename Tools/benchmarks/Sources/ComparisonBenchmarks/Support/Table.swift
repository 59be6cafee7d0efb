import Foundation

/// The one table of all figures, in Markdown. Rows are printed as they are measured.
struct Table {
  init() {
    print("| measured | contestant | figure | p50 | p99 | rounds | ledger to it |")
    print("|---|---|---|---|---|---|---|")
  }

  /// - Parameters:
  ///   - figure: The main figure with its unit.
  ///   - latencies: How long each took, in microseconds.
  ///   - rounds: The smallest and the largest figure of a round.
  ///   - ratio: The ledger's figure to this one, the median of the rounds.
  func add(
    _ measured: String, _ contestant: String, _ figure: String, latencies: [Double] = [],
    rounds: [Double] = [], ratio: Double? = nil
  ) {
    let (median, tail) =
      latencies.isEmpty
      ? ("", "")
      : (
        Self.text(microseconds: latencies.median), Self.text(microseconds: latencies.quantile(0.99))
      )
    let spread = rounds.isEmpty ? "" : Self.spread(rounds)
    let quotient = ratio.map { String(format: "%.2f", $0) } ?? ""
    print(
      "| \(measured) | \(contestant) | \(figure) | \(median) | \(tail) | \(spread) | \(quotient) |")
    fflush(nil)
  }

  func addSlope(_ measured: String, _ contestant: String, sizes: [Int], values: [Double]) {
    guard sizes.count > 1 else { return }
    let slope = [Double].slope(sizes: sizes.map(Double.init), values: values)
    add(measured, contestant, String(format: "slope %.2f", slope))
  }

  static func text(microseconds: Double) -> String {
    microseconds < 10_000
      ? String(format: "%.0f µs", microseconds) : String(format: "%.1f ms", microseconds / 1_000)
  }

  static func rate(_ perSecond: Double) -> String { number(perSecond) + " a second" }

  /// With commas between groups of three digits.
  static func number(_ value: Double) -> String {
    var digits = String(format: "%.0f", value)
    var place = digits.count - 3
    while place > 0 {
      digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
      place -= 3
    }
    return digits
  }

  private static func spread(_ rounds: [Double]) -> String {
    "\(number(rounds.min() ?? .nan)) to \(number(rounds.max() ?? .nan))"
  }
}
