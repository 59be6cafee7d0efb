import LedgerSystem
import Synchronization

/// A number that rises with each change, and the threads that wait for it.
final class ChangeCounter: Sendable {
  private let number = Atomic<UInt32>(0)
  private let sleepers = Mutex<[ObjectIdentifier: WakeSemaphore]>([:])

  var count: UInt32 { number.load(ordering: .acquiring) }

  /// Counts a change, and wakes all threads that wait.
  func add() {
    number.wrappingAdd(1, ordering: .acquiringAndReleasing)
    for sleeper in sleepers.withLock({ $0.values.map(\.self) }) { sleeper.signal() }
  }

  /// Waits until the number is another than `count`, or for the timeout.
  func wait(since count: UInt32, timeout: Duration) {
    let sleeper = WakeSemaphore()
    sleepers.withLock { $0[ObjectIdentifier(sleeper)] = sleeper }
    defer { sleepers.withLock { $0[ObjectIdentifier(sleeper)] = nil } }
    if self.count == count { _ = sleeper.wait(timeout: timeout) }
  }
}
