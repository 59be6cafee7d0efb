/// Tells once, not at each commit, that a session's clock lies behind the newest event.
struct ClockLagWatch: Sendable {
  /// Clocks of processes on one machine differ by less, and adjustments are smaller.
  static let tolerance = Duration.seconds(60)

  /// The newest event that was reported, until the clock passed it.
  private var reported: Timestamp?

  /// How far the clock lies behind, if that is to be reported now: once for each jump.
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
