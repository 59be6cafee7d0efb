import LedgerLibC

/// The time of day, which may jump and run backwards.
package enum WallClock {
  /// Nanoseconds since 1970-01-01 00:00 UTC, without leap seconds (`CLOCK_REALTIME`).
  package static var nowNanoseconds: Int64 { nanoseconds(of: CLOCK_REALTIME) }
}

/// Time that only moves forwards: for deadlines and measurements within one process.
package enum MonotonicClock {
  /// The time since some moment in the past, the same for every thread (`CLOCK_MONOTONIC`).
  package static var now: Duration { .nanoseconds(nanoseconds(of: CLOCK_MONOTONIC)) }
}

private func nanoseconds(of clock: clockid_t) -> Int64 {
  var time = timespec()
  unsafe clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
