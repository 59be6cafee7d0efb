import LedgerPostgreSQL

extension Notice {
  /// Whether the server stopped waiting for its standby, so that the commit is only on its own disk.
  var isAboutDurability: Bool { state == .warning || state.asksForReconnection }
}
