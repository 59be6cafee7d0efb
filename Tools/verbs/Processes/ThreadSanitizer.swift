#if THREAD_SANITIZER
  import LedgerLocks

  typealias Mutex = SanitizedMutex
#endif
