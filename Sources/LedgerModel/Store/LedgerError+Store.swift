extension LedgerError {
  /// The store is not open.
  package static var storeClosed: LedgerError {
    LedgerError(.closed, "The ledger is closed or frozen. Open or unfreeze it first.")
  }
}
