import LedgerSystem

/// The time of calls and answers in histories of several processes.
package enum HistoryTime {
  /// The time in nanoseconds, on the clock that all processes of a machine share.
  package static var now: Int64 {
    let (seconds, attoseconds) = MonotonicClock.now.components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
