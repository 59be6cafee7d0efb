/// Tells the processes that share a ledger that its head may have moved.
///
/// A ring is a hint: whoever is woken looks for himself, and whoever may not miss anything also looks
/// after a timeout. A killed process may leave the flag set, which costs one needless system call.
package final class Doorbell: Sendable {
  private let words: SharedWords

  /// A doorbell in these words, which the caller closes.
  package init(_ words: SharedWords) { self.words = words }

  /// How often the bell rang, wrapping around. Read it before looking; pass it to `wait`.
  package var ringCount: UInt32 { words.load(SharedWordLayout.ringCount) }

  /// Wakes all sleepers of all processes. Without any it costs two atomic instructions.
  package func ring() {
    words.add(1, to: SharedWordLayout.ringCount)
    // Only now: a sleeper who raises the flag later finds the count changed and does not sleep.
    if words.exchange(0, at: SharedWordLayout.someoneSleeps) != 0 {
      words.wakeAll(SharedWordLayout.ringCount)
    }
  }

  /// Why a wait ended.
  package enum WaitResult: Sendable, Hashable {
    /// The bell rang, or the wait was interrupted, since the count was read.
    case rang
    /// The time is up.
    case timedOut
    /// The words were closed.
    case closed
  }

  /// Sleeps until the bell has rung since `count` was read.
  @available(*, noasync, message: "blocks the thread")
  package func wait(since count: UInt32, timeout: Duration) -> WaitResult {
    let deadline = MonotonicClock.now + timeout
    while !words.isClosed {
      if ringCount != count { return .rang }
      let remaining = deadline - MonotonicClock.now
      if remaining <= .zero { return .timedOut }
      _ = words.exchange(1, at: SharedWordLayout.someoneSleeps)
      _ = words.wait(on: SharedWordLayout.ringCount, while: count, timeout: remaining)
    }
    return .closed
  }

  /// Ends the waits of this process: for freeze and close.
  ///
  /// It rings, whatever the flag says, because only a changed count reaches a thread that is about to
  /// fall asleep. Sleepers of other processes wake too, and find nothing new.
  package func interrupt() {
    words.add(1, to: SharedWordLayout.ringCount)
    words.wakeAll(SharedWordLayout.ringCount)
  }
}
