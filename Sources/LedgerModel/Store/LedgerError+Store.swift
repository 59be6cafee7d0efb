extension LedgerError {
  /// The store is not open.
  package static var storeClosed: LedgerError {
    LedgerError(.closed, "The ledger is closed or frozen. Open or unfreeze it first.")
  }

  /// What this process read before is not there any more.
  package static func vanished(after head: Position, known position: Position) -> LedgerError {
    LedgerError(
      .corrupt,
      "The log ends at position \(head), and this session has read events up to position \(position). Nothing was written; close the ledger and restore it from a copy."
    )
  }
}
