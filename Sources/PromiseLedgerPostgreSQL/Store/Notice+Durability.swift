import LedgerPostgreSQL

extension Notice {
  /// Whether the server stopped waiting for its standby, so that the commit is only on its own disk.
  ///
  /// Other warnings have the same states, and may be of anything, as of a trigger. The function is the one that waits.
  var isAboutDurability: Bool { sourceFunction == "SyncRepWaitForLSN" }
}
