#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A value behind a lock.
///
/// `Synchronization.Mutex` would do, but in debug builds on Linux ThreadSanitizer does not see its
/// locking and reports every use of it as a race; it knows the mutexes of pthreads.
@safe
final class Locked<Value>: @unchecked Sendable {
  // Sendable because `value` is touched with `mutex` held only, and what leaves `withLock` is
  // checked by its callers, which keep only Sendable values here.

  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  init(_ value: Value) {
    self.value = value
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe pthread_mutex_init(mutex, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
