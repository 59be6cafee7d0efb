extension ReplayedLedger {
  /// The reason why a promise is missing: it was never created, or its record was removed.
  ///
  /// - Throws: As ``record(of:)-(PromiseID)``.
  package func reason(forMissing id: PromiseID) throws(LedgerError) -> LedgerError {
    try reading { (state) throws(LedgerError) in try state.refusal(ofMissing: id) }
  }

  /// The reason why a handler is missing: it was never created, or its record was removed.
  ///
  /// - Throws: As ``record(of:)-(PromiseID)``.
  package func reason(forMissing id: HandlerID) throws(LedgerError) -> LedgerError {
    try reading { (state) throws(LedgerError) in try state.refusal(ofMissing: id) }
  }

  /// The reason why an entity is missing: it never existed, or its record was removed.
  ///
  /// - Throws: As ``record(of:)-(PromiseID)``.
  package func reason(forMissing id: EntityID) throws(LedgerError) -> LedgerError {
    try reading { (state) throws(LedgerError) in
      try state.refusal(
        ofMissing: id, "promise, handler or session",
        LedgerError(
          .notFound, "There is no promise, handler or session \(id). Check the id."))
    }
  }
}
