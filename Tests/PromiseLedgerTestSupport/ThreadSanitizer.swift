#if THREAD_SANITIZER
  import LedgerLocks

  package typealias Mutex = SanitizedMutex
#endif
