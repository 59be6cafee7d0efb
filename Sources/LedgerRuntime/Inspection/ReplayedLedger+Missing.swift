extension ReplayedLedger {
  /// Why there is no such promise: it was never created, or its record was removed.
  ///
  /// - Throws: As ``record(of:)-(PromiseID)``.
  public func reason(forMissing id: PromiseID) throws(LedgerError) -> LedgerError {
    try reading { (state) throws(LedgerError) in try state.refusal(ofMissing: id) }
  }

  /// Why there is no such handler: it was never created, or its record was removed.
  ///
  /// - Throws: As ``record(of:)-(PromiseID)``.
  public func reason(forMissing id: HandlerID) throws(LedgerError) -> LedgerError {
    try reading { (state) throws(LedgerError) in try state.refusal(ofMissing: id) }
  }

  /// Why there is nothing with an id: there never was, or its record was removed.
  ///
  /// - Throws: As ``record(of:)-(PromiseID)``.
  public func reason(forMissing id: EntityID) throws(LedgerError) -> LedgerError {
    try reading { (state) throws(LedgerError) in
      try state.refusal(
        ofMissing: id, "promise, handler or session",
        LedgerError(
          .notFound, "There is no promise, handler or session \(id). Check the id."))
    }
  }
}
