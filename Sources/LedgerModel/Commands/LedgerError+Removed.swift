extension LedgerError {
  static func compacted(_ id: EntityID) -> LedgerError {
    LedgerError(
      .compacted,
      "\(id) was closed and its record removed when the ledger was compacted. It cannot come back; use another key."
    )
  }
}
