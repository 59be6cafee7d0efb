import LedgerPromises
import PromiseLedgerTesting
import Synchronization

/// A place for a value that threads hand over.
final class Box<Value: Sendable>: Sendable {
  private let value: Mutex<Value?>

  init(_ value: consuming sending Mutex<Value?>) {
    self.value = value
  }

  func set(_ newValue: Value) {
    value.withLock { $0 = newValue }
  }

  func take() -> Value? {
    value.withLock { value in
      let taken = value
      value = nil
      return taken
    }
  }
}

/// Counts, from any thread.
final class Counter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .acquiring) }

  func increment() {
    count.add(1, ordering: .acquiringAndReleasing)
  }
}

/// A manual executor that can be let go.
final class ManualExecutorBox: Sendable {
  private let manual = Mutex<ManualPromiseExecutor?>(ManualPromiseExecutor())

  var executor: PromiseExecutor { manual.withLock { $0?.executor } ?? .default }

  func release() {
    let released = manual.withLock { manual in
      let released = manual
      manual = nil
      return released
    }
    _ = released
  }
}
