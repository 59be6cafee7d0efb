package import LedgerModel
import LedgerRuntime
import Synchronization

/// A wall clock that shows the time that it was set to.
package final class SteppedClock: LedgerClock {
  private let time: Mutex<Timestamp>

  package init(_ start: Timestamp) { time = Mutex(start) }

  package func now() -> Timestamp { time.withLock { $0 } }

  package func set(_ time: Timestamp) { self.time.withLock { $0 = time } }
}
