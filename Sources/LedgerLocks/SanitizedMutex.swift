#if THREAD_SANITIZER
  import Foundation

  /// Stands in for `Synchronization.Mutex` in builds for the thread sanitizer.
  ///
  /// On Linux, the sanitizer does not see the futexes of `Mutex` and reports races on the values that they
  /// guard, but it understands pthread locks. Modules select this type with a type alias of their own, which
  /// shadows the imported name. Other builds do not contain it.
  package final class SanitizedMutex<Value: ~Copyable>: @unchecked Sendable {
    // Unchecked because `value` is accessed only while `lock` is held.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: consuming sending Value) {
      self.value = value
    }

    package func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      lock.lock()
      defer { lock.unlock() }
      return try body(&value)
    }

    package func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
      guard lock.try() else { return nil }
      defer { lock.unlock() }
      return try body(&value)
    }
  }
#endif
