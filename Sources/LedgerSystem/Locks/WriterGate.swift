import Synchronization

/// The one way to a ledger's write transactions: an exclusive lock between processes that can be
/// waited for with a deadline, says who holds it, survives the death of its holder and is fair.
///
/// The lock itself is a `FileLock`. The words beside it are hints that make waiting quick: a waiter
/// raises a flag and sleeps on a word; who leaves and finds the flag raised wakes the waiters, and
/// stays away for a moment, so that he does not take the gate again before they have run. Whatever a
/// killed process leaves in the words costs at most one round of waiting, or one pause.
package final class WriterGate: Sendable {
  private let lock: FileLock
  private let words: SharedWords
  private let interruptions = Atomic<UInt64>(0)
  /// When this object may take the gate again after it handed over.
  private let mayPassAgain = Mutex<Duration>(.zero)

  /// How long a waiter sleeps at most before he tries again: when the holder was killed, nobody
  /// wakes him.
  private static let round = Duration.milliseconds(10)
  /// How long who hands over stays away: about what waking a thread of another process takes.
  private static let courtesy = Duration.microseconds(50)

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
  ///   - timeout: How long to wait; `.zero` tries once.
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
    stayAway()
    if try take() { return .passed }

    let deadline = MonotonicClock.now + timeout
    while true {
      // Read before the flag is raised and the lock tried: who leaves after that attempt sees the
      // flag and changes the turn, so the sleep below ends or does not begin.
      let turn = words.load(SharedWordLayout.gateTurn)
      _ = words.exchange(1, at: SharedWordLayout.writersWait)
      if mustStop() { return .interrupted }
      if try take() { return .passed }

      let remaining = deadline - MonotonicClock.now
      if remaining <= .zero { return .stalled(holderProcessID: holderProcessID) }
      _ = words.wait(
        on: SharedWordLayout.gateTurn, while: turn, timeout: min(remaining, Self.round))
    }
  }

  /// Gives the gate back and wakes the writers that wait for it; harmless if it is not held.
  package func leave() {
    guard lock.held != nil else { return }
    words.store(0, to: SharedWordLayout.gateHolder)
    lock.unlock()
    if words.exchange(0, at: SharedWordLayout.writersWait) != 0 {
      wakeWaiters()
      let until = MonotonicClock.now + Self.courtesy
      mayPassAgain.withLock { $0 = until }
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
    return true
  }

  private func wakeWaiters() {
    words.add(1, to: SharedWordLayout.gateTurn)
    words.wakeAll(SharedWordLayout.gateTurn)
  }

  private func stayAway() {
    let until = mayPassAgain.withLock { $0 }
    if until == .zero { return }
    let remaining = until - MonotonicClock.now
    if remaining > .zero { pauseThread(for: remaining) }
    mayPassAgain.withLock { $0 = .zero }
  }
}
