#if Serve
  import LedgerSystem

  /// A signal by which somebody asks this process to end, which has something to do before.
  enum EndRequest {
    /// Expects it from now on. Until then, it ends the process at once.
    static func expect() { EndingSignals.note() }

    static var hasCome: Bool { EndingSignals.haveCome }
  }
#endif
