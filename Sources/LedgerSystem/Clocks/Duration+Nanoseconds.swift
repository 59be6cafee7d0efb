extension Duration {
  /// Whole nanoseconds for a C call: never negative, and no more than `Int64` holds (292 years).
  var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    if self <= .zero { return 0 }
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return .max }
    let (sum, carried) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return carried ? .max : sum
  }
}
