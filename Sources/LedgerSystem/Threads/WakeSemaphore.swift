import CLedgerSystem
import LedgerLibC

/// A binary semaphore that wakes a thread of this process.
///
/// Signals coalesce: any number of them before a wait let exactly one wait through. A signal
/// without a waiting thread is one atomic instruction.
@safe
package final class WakeSemaphore: @unchecked Sendable {
  // Unchecked because only atomic instructions touch the word, which lives as long as self.
  private let word: UnsafeMutablePointer<UInt32>

  private static let idle: UInt32 = 0
  private static let signalled: UInt32 = 1
  private static let awaited: UInt32 = 2

  package init() {
    unsafe word = .allocate(capacity: 1)
    unsafe word.initialize(to: Self.idle)
  }

  deinit { unsafe word.deallocate() }

  /// Lets one wait through: the current one, or the next.
  package func signal() {
    // The word does not count the waiting threads. All wake, one takes the signal, and the others
    // sleep again.
    if unsafe cledger_word_exchange(word, Self.signalled) == Self.awaited {
      unsafe cledger_word_wake(word, false)
    }
  }

  /// Waits for a signal and takes it.
  ///
  /// - Parameter timeout: The longest time to wait; `.zero` only checks.
  /// - Returns: Whether there was a signal; `false` after the timeout.
  @available(*, noasync, message: "blocks the thread")
  package func wait(timeout: Duration) -> Bool {
    if take() { return true }
    let deadline = MonotonicClock.now + timeout
    while true {
      let remaining = deadline - MonotonicClock.now
      if remaining <= .zero { return take() }
      // Fails harmlessly if the word is `awaited` already or has just been signalled.
      _ = unsafe cledger_word_compare_exchange(word, Self.idle, Self.awaited)
      _ = unsafe cledger_word_wait(word, Self.awaited, remaining.clampedNanoseconds, false)
      if take() { return true }
    }
  }

  private func take() -> Bool {
    unsafe cledger_word_compare_exchange(word, Self.signalled, Self.idle)
  }
}
