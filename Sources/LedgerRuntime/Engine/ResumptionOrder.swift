#if THREAD_SANITIZER
  import LedgerLocks
#endif

/// Shows the thread sanitizer that a task goes on after the thread that resumed it; does nothing in other builds.
///
/// If the thread resumes the task before it has suspended, Swift's runtime tells the sanitizer nothing of that order, and
/// it reports races on the answer.
struct ResumptionOrder: Sendable {
  #if THREAD_SANITIZER
    private let lock = SanitizedMutex(0)
  #endif

  /// Called by the thread just before it resumes the task, and by the task when it goes on.
  @inline(__always)
  func show() {
    #if THREAD_SANITIZER
      lock.withLock { $0 &+= 1 }
    #endif
  }
}
