public import LedgerRuntime
import Synchronization

/// A wall clock that stands still until it is told otherwise.
public final class ManualLedgerClock: LedgerClock {
  private let time: Mutex<Timestamp>

  /// Makes a clock that shows `start`.
  ///
  /// - Parameter start: By default 2026-01-01T00:00:00Z.
  public init(start: Timestamp = Timestamp(nanosecondsSinceEpoch: 1_767_225_600_000_000_000)) {
    time = Mutex(start)
  }

  /// The time that it shows.
  public func now() -> Timestamp { time.withLock { $0 } }

  /// Moves the clock; a negative duration moves it back.
  public func advance(by duration: Duration) {
    time.withLock { $0 = $0 + duration }
  }
}
