import LedgerSystem
import Synchronization

/// The shrink that a store runs. A store that closes ends it, and waits until its files and locks are released.
final class ShrinkTurn: Sendable {
  private let hasEnded = Atomic<Bool>(false)
  private let running = Mutex<Void>(())

  /// Whether the shrink must stop.
  var isOver: Bool { hasEnded.load(ordering: .acquiring) }

  /// Runs a shrink, after any other one of the same store.
  func run<R>(_ body: () throws -> sending R) throws -> sending R {
    try running.withLock { _ in try body() }
  }

  /// Makes the running shrink stop, and waits for it.
  func end() {
    hasEnded.store(true, ordering: .releasing)
    running.withLock { _ in }
  }
}
