import LedgerLibC

/// Takes the calling thread off its processor for at least `duration`, unless a signal cuts it short.
func pauseThread(for duration: Duration) {
  let nanoseconds = duration.clampedNanoseconds
  var time = timespec()
  time.tv_sec = .init(nanoseconds / 1_000_000_000)
  time.tv_nsec = .init(nanoseconds % 1_000_000_000)
  unsafe nanosleep(&time, nil)
}
