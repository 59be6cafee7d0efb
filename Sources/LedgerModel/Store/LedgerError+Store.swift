extension LedgerError {
  /// The error for a store that is not open.
  package static var storeClosed: LedgerError {
    LedgerError(.closed, "The ledger is closed or frozen. Open or unfreeze it first.")
  }

  /// The error for a log other than the one that this process read before.
  package static func historyChanged(at position: Position) -> LedgerError {
    LedgerError(
      .historyChanged,
      "The ledger was replaced by another one: up to position \(position), its events are not those that this session has read, as if an older copy was restored and written to. Nothing was written and this session has ended; close the ledger and open it again."
    )
  }

  /// The error for a ledger other than the one that this session opened.
  package static func historyChanged(
    from known: LedgerID, to stored: LedgerID
  ) -> LedgerError {
    LedgerError(
      .historyChanged,
      "The ledger was replaced by another one: its id is \(stored), but this session opened \(known). Nothing was written and this session has ended; close the ledger and open it again."
    )
  }

  /// The error for a log that has lost events which this process read before.
  package static func vanished(after head: Position, known position: Position) -> LedgerError {
    LedgerError(
      .corrupt,
      "The log ends at position \(head), but this session has read events up to position \(position). Nothing was written; close the ledger and restore it from a copy."
    )
  }
}
