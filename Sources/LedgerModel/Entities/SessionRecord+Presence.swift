extension SessionRecord {
  /// Whether the process of a session is there, which no log can tell.
  @nonexhaustive public enum Presence: Sendable, Hashable {
    /// Its process is alive, and has the ledger open.
    case alive
    /// Its process released the ledger, and may come back.
    case frozen
    /// It ended, or its process is gone.
    case gone
  }
}
