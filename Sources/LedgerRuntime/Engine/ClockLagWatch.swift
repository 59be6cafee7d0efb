/// Reports that a session's clock is behind the newest event, once rather than at each commit.
struct ClockLagWatch: Sendable {
  /// The lag that is tolerated. Clocks of processes on one machine differ by less, and adjustments are
  /// smaller.
  static let tolerance = Duration.seconds(60)

  /// The newest event that was reported, until the clock passed it.
  private var reported: Timestamp?

  /// The lag of the clock, if it must be reported now: once for each jump.
  mutating func lagToReport(now: Timestamp, newestEvent: Timestamp) -> Duration? {
    let lag = newestEvent - now
    guard lag > Self.tolerance else {
      reported = nil
      return nil
    }
    if let reported, newestEvent - reported <= Self.tolerance { return nil }
    reported = newestEvent
    return lag
  }
}
