/// Why something is to be tried again by the library itself; no user sees it.
package enum LookAgain: Error, Sendable {
  /// The snapshot is not where it was when a look-up was prepared.
  case snapshotMoved
  /// Another thread of this process needs a view to end.
  case viewTaken
  /// A wait for another writer ended because something more urgent came up.
  case interrupted
}

extension LedgerError {
  /// Whether it only asks the library to try again.
  package var lookAgain: LookAgain? { cause as? LookAgain }

  package static var snapshotMoved: LedgerError {
    LedgerError(
      .internalInconsistency, "The snapshot was moved on while it was read.",
      cause: LookAgain.snapshotMoved)
  }

  package static var viewTaken: LedgerError {
    LedgerError(
      .internalInconsistency, "A view was taken away while it was read.",
      cause: LookAgain.viewTaken)
  }

  package static var interrupted: LedgerError {
    LedgerError(
      .internalInconsistency,
      "The ledger was frozen or closed while it waited for another writer.",
      cause: LookAgain.interrupted)
  }
}
