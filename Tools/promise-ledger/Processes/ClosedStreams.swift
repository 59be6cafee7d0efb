import LedgerSystem

/// Standard streams that whoever started this process had closed.
enum ClosedStreams {
  /// Keeps files of a ledger from getting their numbers.
  static func occupy() {
    // Without /dev/null there is nothing better.
    try? StandardStreams.occupyClosed()
  }
}
