#if Serve
  import LedgerSystem

  /// A request to end this process, by a signal, for a command that has to clean up first.
  enum EndRequest {
    /// From now on, a request is only noted. Before that, it ends the process at once.
    static func expect() { EndingSignals.note() }

    /// Whether a request has come.
    static var hasCome: Bool { EndingSignals.haveCome }
  }
#endif
