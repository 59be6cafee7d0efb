/// Tells the processes that share a ledger that its head may have moved.
///
/// A ring is a hint. A woken process checks for itself, and a process that must not miss anything
/// also checks after a timeout. A killed process may leave the flag set, which costs one needless
/// system call.
package final class Doorbell: Sendable {
  private let words: SharedWords
  /// The flag that this doorbell's sleeper raises if no other sleeps. Two doorbells with the same
  /// mark, of which there are four billion, do not wake each other.
  private let ownMark = UInt32.random(in: 2...(.max))

  /// The flag if several sleep; older versions raise it even for one.
  private static let several: UInt32 = 1

  /// A doorbell in these words, which the caller closes.
  package init(_ words: SharedWords) { self.words = words }

  /// The number of rings, wrapping around. Read it before you check; pass it to `wait`.
  package var ringCount: UInt32 { words.load(SharedWordLayout.ringCount) }

  /// Wakes all sleepers of all processes. Without sleepers it costs two atomic instructions.
  ///
  /// - Parameter wakesOwn: Whether to wake the thread that sleeps on this doorbell even if no other
  ///   does. It does not fall asleep again if it is awake.
  package func ring(wakesOwn: Bool = true) {
    words.add(1, to: SharedWordLayout.ringCount)
    // Last, because a sleeper that raises the flag later finds the count changed and does not
    // sleep. The addition of 0 reads the flag in the order of these operations.
    let flag = SharedWordLayout.someoneSleeps
    if !wakesOwn, words.add(0, to: flag) == ownMark { return }
    if words.exchange(0, at: flag) != 0 { words.wakeAll(SharedWordLayout.ringCount) }
  }

  /// Raises the flag before falling asleep.
  private func raiseFlag() {
    let flag = SharedWordLayout.someoneSleeps
    if words.compareExchange(0, ownMark, at: flag) || words.load(flag) == ownMark { return }
    _ = words.exchange(Self.several, at: flag)
  }

  /// The reason why a wait ended.
  package enum WaitResult: Sendable, Hashable {
    /// The bell rang, or the wait was interrupted, since the count was read.
    case rang
    /// The timeout passed.
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
      raiseFlag()
      _ = words.wait(on: SharedWordLayout.ringCount, while: count, timeout: remaining)
    }
    return .closed
  }

  /// Ends the waits of this process: for freeze and close.
  ///
  /// It rings whether or not the flag is set, because only a changed count reaches a thread that is
  /// about to fall asleep. Sleepers of other processes wake too, and find nothing new.
  package func interrupt() {
    words.add(1, to: SharedWordLayout.ringCount)
    words.wakeAll(SharedWordLayout.ringCount)
  }
}
