import Synchronization

/// The only way to a ledger's write transactions: an exclusive lock between processes. A process
/// can wait for it with a deadline and learn which process holds it. The lock is fair, and survives
/// the death of its holder.
///
/// The lock itself is a `FileLock`. The words beside it are hints that make waiting quick. A waiter
/// raises a flag and sleeps on a word. A holder that leaves and finds the flag raised wakes the
/// waiters, and stays away until one of them has passed, or for 5 ms. Otherwise a busy writer would
/// take the gate again before the waiters run, time after time. The words that a killed process
/// leaves behind cost at most one round of waiting, or one such pause.
package final class WriterGate: Sendable {
  private let lock: FileLock
  private let words: SharedWords
  private let interruptions = Atomic<UInt64>(0)
  private let handOver = Mutex<HandOver?>(nil)

  /// The reason why this object stays away from the gate.
  private struct HandOver {
    /// The number of passes through the gate when it was handed over. A higher number means that a
    /// waiter has passed.
    var passes: UInt32
    /// The time to come back even if no waiter has passed.
    var end: Duration
  }

  /// The longest time that a waiter sleeps before it tries again. No process wakes it if the holder
  /// was killed.
  private static let round = Duration.milliseconds(10)
  /// The longest time that a process stays away after handing over. It is a little more than a
  /// woken thread waits for a processor on a busy machine (a scheduler's tick, 4 ms), and is lost
  /// only if the waiter is gone.
  private static let courtesy = Duration.milliseconds(5)

  private init(lock: FileLock, words: SharedWords) {
    self.lock = lock
    self.words = words
  }

  /// Opens the gate's file, and creates it if needed.
  ///
  /// - Parameter words: The ledger's shared words, the same file for every process. The caller
  ///   closes them after the gate.
  package static func open(
    _ path: String, words: SharedWords, createWithMode mode: UInt32 = 0o600
  ) throws(SystemError) -> WriterGate {
    WriterGate(lock: try FileLock.open(path, createWithMode: mode), words: words)
  }

  /// The outcome of an attempt to pass.
  package enum Outcome: Sendable, Hashable {
    /// The caller holds the gate, and must `leave()`.
    case passed
    /// The deadline passed. The id is that of a living process that held the gate then. It is nil
    /// if the holder is unknown, because the gate was changing hands or its holder lives in another
    /// container.
    case stalled(holderProcessID: Int32?)
    /// `interrupt()` or `close()` was called meanwhile, or the caller cancelled the attempt.
    case interrupted
  }

  /// Waits for the gate and takes it.
  ///
  /// - Parameters:
  ///   - timeout: How long to wait; with `.zero` it does not sleep.
  ///   - isCancelled: Called before each attempt, at least every 10 ms, on this thread.
  /// - Throws: `SystemError` of `flock`, such as no locks available.
  @available(*, noasync, message: "blocks the thread")
  package func pass(
    within timeout: Duration, isCancelled: () -> Bool = { false }
  ) throws(SystemError) -> Outcome {
    let interruptionsBefore = interruptions.load(ordering: .sequentiallyConsistent)
    func mustStop() -> Bool {
      words.isClosed || isCancelled()
        || interruptions.load(ordering: .sequentiallyConsistent) != interruptionsBefore
    }

    if mustStop() { return .interrupted }
    let deadline = MonotonicClock.now + timeout
    stayAway(until: deadline)
    if try take() { return .passed }

    while true {
      // Read before the flag is raised and the lock is tried. A process that leaves after that
      // attempt sees the flag and changes the turn, so the sleep below ends or does not begin.
      let turn = words.load(SharedWordLayout.gateTurn)
      _ = words.exchange(1, at: SharedWordLayout.writersWait)
      // The process that left lowered the flag and changed the turn.
      defer { if words.load(SharedWordLayout.gateTurn) == turn { lowerFlag() } }
      if mustStop() { return .interrupted }
      if try take() { return .passed }

      let remaining = deadline - MonotonicClock.now
      if remaining <= .zero { return .stalled(holderProcessID: holderProcessID) }
      _ = words.wait(
        on: SharedWordLayout.gateTurn, while: turn, timeout: min(remaining, Self.round))
      if mustStop() { return .interrupted }
      if try take() { return .passed }
    }
  }

  /// Gives the gate back and wakes the writers that wait for it; harmless if it is not held.
  package func leave() {
    guard lock.held != nil else { return }
    // Read while the gate is held, so that the next process that passes changes it.
    let passes = words.load(SharedWordLayout.gatePasses)
    words.store(0, to: SharedWordLayout.gateHolder)
    lock.unlock()
    if words.exchange(0, at: SharedWordLayout.writersWait) != 0 {
      wakeWaiters()
      let end = MonotonicClock.now + Self.courtesy
      handOver.withLock { $0 = HandOver(passes: passes, end: end) }
    }
  }

  /// Makes every `pass` of this object that has begun return `.interrupted` soon. Calls that begin
  /// later are not affected, so set the state that `isCancelled` reads first.
  package func interrupt() {
    interruptions.wrappingAdd(1, ordering: .sequentiallyConsistent)
    wakeWaiters()
  }

  /// Gives the gate back and closes its file. Passing later throws `.closed`.
  package func close() {
    interrupt()
    leave()
    lock.close()
  }

  /// The living process that is recorded as the gate's holder, or nil.
  package var holderProcessID: Int32? {
    let id = Int32(truncatingIfNeeded: words.load(SharedWordLayout.gateHolder))
    return ThisProcess.isAlive(id) ? id : nil
  }

  private func take() throws(SystemError) -> Bool {
    guard try lock.tryLock(.exclusive) else { return false }
    words.store(UInt32(bitPattern: ThisProcess.id), to: SharedWordLayout.gateHolder)
    words.add(1, to: SharedWordLayout.gatePasses)
    if words.exchange(0, at: SharedWordLayout.someoneStaysAway) != 0 {
      words.wakeAll(SharedWordLayout.gatePasses)
    }
    return true
  }

  /// Lowers the flag that a waiter raised and no longer needs. Other waiters wake up and raise it
  /// again.
  ///
  /// Otherwise the next holder to leave would hand over to no waiter, and stay away in vain.
  private func lowerFlag() {
    _ = words.exchange(0, at: SharedWordLayout.writersWait)
    wakeWaiters()
  }

  private func wakeWaiters() {
    words.add(1, to: SharedWordLayout.gateTurn)
    words.wakeAll(SharedWordLayout.gateTurn)
  }

  private func stayAway(until deadline: Duration) {
    guard let handOver = handOver.withLock({ $0.take() }) else { return }
    let end = min(handOver.end, deadline)
    while !words.isClosed, words.load(SharedWordLayout.gatePasses) == handOver.passes {
      let remaining = end - MonotonicClock.now
      if remaining <= .zero { return }
      _ = words.exchange(1, at: SharedWordLayout.someoneStaysAway)
      _ = words.wait(
        on: SharedWordLayout.gatePasses, while: handOver.passes, timeout: remaining)
    }
  }
}
