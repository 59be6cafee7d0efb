import LedgerSystem
import Synchronization

/// Bites after too long a silence.
///
/// It counts ticks, not time: while the machine sleeps or this process is stopped, nothing can be
/// heard, and no tick passes.
final class Watchdog: Sendable {
  private struct State {
    var silentTicks = 0
    var isPaused = false
    var isStopped = false
    var hasBitten = false
  }

  private static let ticksOfTimeout = 20

  let timeout: Duration
  private let bite: @Sendable () -> Void
  private let state = Mutex(State())
  private let wake = WakeSemaphore()

  init(_ timeout: Duration, bite: @escaping @Sendable () -> Void) {
    self.timeout = timeout
    self.bite = bite
  }

  var hasBitten: Bool { state.withLock { $0.hasBitten } }

  func start() throws {
    _ = try SystemThread.start(name: "watchdog") { [self] in
      while true {
        _ = wake.wait(timeout: timeout / Self.ticksOfTimeout)
        let (bites, isOver) = state.withLock { state in
          if state.isStopped { return (false, true) }
          if !state.isPaused { state.silentTicks += 1 }
          state.hasBitten = state.silentTicks >= Self.ticksOfTimeout
          return (state.hasBitten, state.hasBitten)
        }
        if bites { bite() }
        if isOver { return }
      }
    }
  }

  /// Records a message. The clock stops while `body` passes the message on, because the reader of
  /// our output may take as long as it likes.
  func pause(_ body: () -> Void) {
    state.withLock { $0.isPaused = true }
    body()
    state.withLock { state in
      state.isPaused = false
      state.silentTicks = 0
    }
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    wake.signal()
  }
}
