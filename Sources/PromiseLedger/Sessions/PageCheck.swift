extension LedgerConfiguration {
  /// The conditions under which opening a ledger checks every page of its data file.
  ///
  /// LMDB has no checksums of pages: damage to a page's structure can crash the process inside LMDB. Opening
  /// always checks the pages on the paths to the data that it reads. Checking all pages takes about a tenth of
  /// a second for 256 MiB that the system has cached in memory, and otherwise, such as after the machine
  /// starts, as long as reading them from disk. Pages beyond 256 MiB, or beyond the two seconds that a check
  /// may take, are not checked.
  @nonexhaustive public enum PageCheck: Sendable, Hashable {
    /// Opening never checks every page.
    case never
    /// Opening checks every page if a session's process ended without closing or freezing the ledger, as after
    /// a power loss.
    ///
    /// The sign is the lock file that such a session leaves. The sign is missing if the power loss removed the
    /// file, or if another session noted the end of that session and removed the file. Use ``always`` if no
    /// unclean end must be missed.
    case afterUncleanEnd
    /// Opening and unfreezing always check every page.
    case always
  }
}

extension LedgerConfiguration.PageCheck {
  /// Whether to check every page before the ledger is opened.
  func isDue(in directory: LedgerDirectory) -> Bool {
    switch self {
    case .never: false
    case .afterUncleanEnd: UncleanEnd.isSeen(in: directory)
    case .always: true
    }
  }
}
