import Synchronization

/// The one way to a ledger's write transactions: an exclusive lock between processes that can be
/// waited for with a deadline, says who holds it, survives the death of its holder and is fair.
///
/// The lock itself is a `FileLock`. The words beside it are hints that make waiting quick: a waiter
/// raises a flag and sleeps on a word; who leaves and finds the flag raised wakes the waiters, and
/// stays away until one of them has passed, or 5 ms. Otherwise a busy writer would have taken the gate
/// again before they run, time after time. Whatever a killed process leaves in the words costs at
/// most one round of waiting, or one such pause.
package final class WriterGate: Sendable {
  private let lock: FileLock
  private let words: SharedWords
  private let interruptions = Atomic<UInt64>(0)
  private let handOver = Mutex<HandOver?>(nil)

  /// Why this object stays away from the gate.
  private struct HandOver {
    /// How often the gate had been passed when it was handed over: more, and a waiter is in.
    var passes: UInt32
    /// When to come back anyway.
    var end: Duration
  }

  /// How long a waiter sleeps at most before he tries again: when the holder was killed, nobody
  /// wakes him.
  private static let round = Duration.milliseconds(10)
  /// How long who hands over stays away at most: a little more than a woken thread waits for a
  /// processor on a busy machine (a scheduler's tick, 4 ms), and lost only if the waiter is gone.
  private static let courtesy = Duration.milliseconds(5)

  private init(lock: FileLock, words: SharedWords) {
    self.lock = lock
    self.words = words
  }

  /// Opens the gate's file, and makes it if needed.
  ///
  /// - Parameter words: The ledger's shared words, the same file for every process. The caller
  ///   closes them, after the gate.
  package static func open(
    _ path: String, words: SharedWords, createWithMode mode: UInt32 = 0o600
  ) throws(SystemError) -> WriterGate {
    WriterGate(lock: try FileLock.open(path, createWithMode: mode), words: words)
  }

  /// How trying to pass ended.
  package enum Outcome: Sendable, Hashable {
    /// The caller holds the gate, and must `leave()`.
    case passed
    /// The deadline passed. The id is that of a living process that held the gate then, or nil if
    /// it could not be told: it was changing hands, or its holder lives in another container.
    case stalled(holderProcessID: Int32?)
    /// `interrupt()` or `close()` was called meanwhile, or the caller cancelled.
    case interrupted
  }

  /// Waits for the gate and takes it.
  ///
  /// - Parameters:
  ///   - timeout: How long to wait; with `.zero` it does not sleep.
  ///   - isCancelled: Asked before each attempt, at least every 10 ms, on this thread.
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
      // Read before the flag is raised and the lock tried: who leaves after that attempt sees the
      // flag and changes the turn, so the sleep below ends or does not begin.
      let turn = words.load(SharedWordLayout.gateTurn)
      _ = words.exchange(1, at: SharedWordLayout.writersWait)
      // Who left lowered the flag, and changed the turn.
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
    // Read inside, so that whoever passes next changes it.
    let passes = words.load(SharedWordLayout.gatePasses)
    words.store(0, to: SharedWordLayout.gateHolder)
    lock.unlock()
    if words.exchange(0, at: SharedWordLayout.writersWait) != 0 {
      wakeWaiters()
      let end = MonotonicClock.now + Self.courtesy
      handOver.withLock { $0 = HandOver(passes: passes, end: end) }
    }
  }

  /// Makes every `pass` of this object that has begun return `.interrupted` soon; those that begin
  /// later are not affected, so a state that `isCancelled` reads must be set first.
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

  /// The living process that says it holds the gate, or nil.
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

  /// Lowers the flag that a waiter raised and does not need any more: whoever else waits is woken, and
  /// raises it again.
  ///
  /// Otherwise somebody would hand over to nobody when he leaves, and stay away in vain.
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
