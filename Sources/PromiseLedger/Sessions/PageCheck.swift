/// When opening a ledger looks at every page of its data file.
///
/// LMDB has no checksums of pages: damage to a page's structure can end the process inside LMDB. Opening
/// always looks at the pages on the ways to what it touches. Looking at all of them takes about a tenth of
/// a second for 256 MiB that the system has in memory, and as long as reading them if it has not, as after
/// the machine started. Pages beyond 256 MiB, or that two seconds are not enough for, are not looked at.
public enum PageCheck: Sendable, Hashable {
  /// Never.
  case never
  /// If a session's process ended without closing or freezing the ledger, as after a power loss.
  ///
  /// The sign is the lock file that such a session leaves. There is none if the power cut took the file
  /// away, or if another session noted the end of that one and removed it. Use ``always`` where no end
  /// must be missed.
  case afterUncleanEnd
  /// At every opening, and when the ledger is unfrozen.
  case always
}

extension PageCheck {
  /// Whether every page is to be looked at before the ledger is opened.
  func isDue(in directory: LedgerDirectory) -> Bool {
    switch self {
    case .never: false
    case .afterUncleanEnd: UncleanEnd.isSeen(in: directory)
    case .always: true
    }
  }
}
