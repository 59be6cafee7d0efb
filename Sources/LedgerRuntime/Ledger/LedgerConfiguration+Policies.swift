extension LedgerConfiguration {
  /// The treatment of stale promises when an app opens a ledger.
  ///
  /// It applies to promises whose creating session has the same instance as the opening session.
  @nonexhaustive public enum StalePromisePolicy: Sendable {
    /// They stay; you can list, re-attach and consume them.
    case keep
    /// They stay, and the closure receives each of them, rejected ones with their error.
    case surface(@Sendable (PromiseRecord) async -> Void)
    /// The fulfilled ones are abandoned, because the session that wanted the value is gone.
    case abandonFulfilled
  }

  /// The treatment of calls that a session gave back unfinished, because it ended or froze.
  @nonexhaustive public enum UnfinishedCallPolicy: Sendable, Hashable {
    /// They stay; you can list them and run them again.
    case keep
    /// They run again, all at the same time: when the ledger is opened or unfrozen, and when the session of
    /// another process freezes, ends, or is found dead. Each call is tried once on each such occasion.
    ///
    /// Calls given back for another reason (``HandlerCallReleased/Reason/cancelled``, ``HandlerCallReleased/Reason/notRunnable``) wait until
    /// the app asks for them with ``Ledger/retry(_:with:)``.
    case retry
  }
}
