import CLedgerSystem
import LedgerLibC

/// A binary semaphore that wakes a thread of this process.
///
/// Signals coalesce: however many come before a wait, they let exactly one wait through. Signalling
/// while nobody waits is one atomic instruction.
@safe
package final class WakeSemaphore: @unchecked Sendable {
  // Unchecked because the word is only touched by atomic instructions, and lives as long as self.
  private let word: UnsafeMutablePointer<UInt32>

  private static let idle: UInt32 = 0
  private static let signalled: UInt32 = 1
  private static let awaited: UInt32 = 2

  package init() {
    unsafe word = .allocate(capacity: 1)
    unsafe word.initialize(to: Self.idle)
  }

  deinit { unsafe word.deallocate() }

  /// Lets one wait through: the one under way, or the next.
  package func signal() {
    // The word does not say how many wait. All wake, one takes the signal, the others sleep again.
    if unsafe cledger_word_exchange(word, Self.signalled) == Self.awaited {
      unsafe cledger_word_wake(word, false)
    }
  }

  /// Waits for a signal and takes it.
  ///
  /// - Parameter timeout: How long at most; `.zero` only looks.
  /// - Returns: Whether there was a signal; `false` after the timeout.
  @available(*, noasync, message: "blocks the thread")
  package func wait(timeout: Duration) -> Bool {
    if take() { return true }
    let deadline = MonotonicClock.now + timeout
    while true {
      let remaining = deadline - MonotonicClock.now
      if remaining <= .zero { return take() }
      // Fails harmlessly if the word says `awaited` already or was signalled just now.
      _ = unsafe cledger_word_compare_exchange(word, Self.idle, Self.awaited)
      _ = unsafe cledger_word_wait(word, Self.awaited, remaining.clampedNanoseconds, false)
      if take() { return true }
    }
  }

  private func take() -> Bool {
    unsafe cledger_word_compare_exchange(word, Self.signalled, Self.idle)
  }
}
