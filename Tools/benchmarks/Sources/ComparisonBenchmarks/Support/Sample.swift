import Foundation

/// Numbers of one kind, and what they have in common.
extension [Double] {
  var median: Double { quantile(0.5) }

  func quantile(_ share: Double) -> Double {
    guard !isEmpty else { return .nan }
    let sorted = sorted()
    return sorted[Swift.min(Int(Double(count) * share), count - 1)]
  }

  /// The slope of a line through the logarithms of points: 0 if the values do not depend on the sizes, and 1 if
  /// they are proportional to them.
  static func slope(sizes: [Double], values: [Double]) -> Double {
    let points = zip(sizes, values).map { (x: log($0), y: log($1)) }
    let count = Double(points.count)
    let (x, y) = (points.reduce(0) { $0 + $1.x } / count, points.reduce(0) { $0 + $1.y } / count)
    let (above, below) = points.reduce((0, 0)) { sums, point in
      (sums.0 + (point.x - x) * (point.y - y), sums.1 + (point.x - x) * (point.x - x))
    }
    return above / below
  }
}

/// The monotonic clock in nanoseconds, which is the same for all processes.
func monotonicNanoseconds() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

/// The duration of `body` in microseconds.
func microseconds(_ body: () async throws -> Void) async rethrows -> Double {
  let start = monotonicNanoseconds()
  try await body()
  return Double(monotonicNanoseconds() - start) / 1_000
}
