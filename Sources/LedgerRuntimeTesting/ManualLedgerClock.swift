public import LedgerRuntime
import Synchronization

/// A wall clock that stands still until a test moves it.
///
/// A session that uses it as its `LedgerConfiguration.clock` checks deadlines whenever it is moved. So a test
/// can wait for the effects of a deadline without waiting for time to pass.
///
/// ```swift
/// clock.advance(by: .seconds(60))
/// #expect(try await promise.outcome == .timedOut)
/// ```
public final class ManualLedgerClock: LedgerClock {
  private let time: Mutex<Timestamp>
  private let listeners = Mutex<[@Sendable () -> Bool]>([])
  /// Held while listeners are called, so that a second move at the same time calls them after the first.
  private let calling = Mutex(())

  /// Makes a clock that shows `start`.
  ///
  /// - Parameter start: By default 2026-01-01T00:00:00Z.
  public init(start: Timestamp = Timestamp(nanosecondsSinceEpoch: 1_767_225_600_000_000_000)) {
    time = Mutex(start)
  }

  /// The current time of the clock.
  public func now() -> Timestamp { time.withLock { $0 } }

  /// Moves the clock; a negative duration moves it back.
  public func advance(by duration: Duration) {
    time.withLock { $0 = $0 + duration }
    calling.withLock { _ in
      // Called without their lock, because a session may add another listener meanwhile.
      let asked = listeners.withLock { listeners in
        defer { listeners = [] }
        return listeners
      }
      let left = asked.filter { $0() }
      listeners.withLock { $0 += left }
    }
  }
}

extension ManualLedgerClock: MovedLedgerClock {
  package func whenMoved(_ ring: @escaping @Sendable () -> Bool) {
    listeners.withLock { $0.append(ring) }
  }
}
