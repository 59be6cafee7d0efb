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
    try reading { (state) throws(LedgerError) in
      try state.refusal(ofMissing: id.entityID, "handler", .handlerNotFound(id))
    }
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

extension LedgerState {
  /// Says, too, if the id is so old that the record may have been removed.
  fileprivate func refusal(
    ofMissing id: EntityID, _ name: String, _ otherwise: LedgerError
  ) throws(LedgerError) -> LedgerError {
    if let problem = blocked[id] { return problem.refusal(of: id) }
    if try isTombstone(id) { return .compacted(id) }
    guard let time = id.time, time <= horizon.time else { return otherwise }
    return LedgerError(
      otherwise.code,
      "There is no \(name) \(id). Records of what ended before \(horizon.time) were removed; the id is older than that."
    )
  }
}
