extension EntityID {
  /// The creation time of a version 7 UUID, to the millisecond; `nil` for other ids.
  package var time: Timestamp? {
    guard high >> 12 & 0xF == 7, let milliseconds = Int64(exactly: high >> 16) else { return nil }
    let (nanoseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? nil : Timestamp(nanosecondsSinceEpoch: nanoseconds)
  }

  /// Creates a version 7 UUID: 48 bits of time, followed by random bits.
  package init(milliseconds: UInt64, random: (UInt64, UInt64)) {
    self.init(
      high: milliseconds << 16 | random.0 & 0xFFF, low: random.1, version: 7)
  }
}
