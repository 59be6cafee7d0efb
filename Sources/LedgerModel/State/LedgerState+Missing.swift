// MARK: - Missing entities

extension LedgerState {
  /// The reason why the promise does not exist.
  package func refusal(ofMissing id: PromiseID) throws(LedgerError) -> LedgerError {
    try refusal(ofMissing: id.entityID, "promise", .notFound(id))
  }

  /// The reason why the handler does not exist.
  package func refusal(ofMissing id: HandlerID) throws(LedgerError) -> LedgerError {
    try refusal(ofMissing: id.entityID, "handler", .handlerNotFound(id))
  }

  /// The reason why no entity with an id exists. The message also says if the id is so old that its record
  /// may have been removed.
  ///
  /// - Parameters:
  ///   - name: The kind of entity that the id would name.
  ///   - otherwise: The error if the entity never existed.
  package func refusal(
    ofMissing id: EntityID, _ name: String, _ otherwise: LedgerError
  ) throws(LedgerError) -> LedgerError {
    if let problem = blocked[id] { return problem.refusal(of: id) }
    if try isTombstone(id) { return .recordRemoved(id) }
    guard let time = id.time, time <= horizon.time else { return otherwise }
    return LedgerError(
      otherwise.code,
      "There is no \(name) \(id). Records of what ended before \(horizon.time) were removed; the id is older than that."
    )
  }
}

extension LedgerError {
  package static func notFound(_ id: PromiseID) -> LedgerError {
    LedgerError(
      .notFound,
      "There is no promise \(id). Check the id, and that it belongs to this ledger.")
  }

  static func handlerNotFound(_ id: HandlerID) -> LedgerError {
    LedgerError(
      .handlerNotFound,
      "There is no handler \(id). Check the id, and that it belongs to this ledger.")
  }

  static func recordRemoved(_ id: EntityID) -> LedgerError {
    LedgerError(
      .recordRemoved,
      "\(id) ended, and a compaction removed its record. It cannot come back; use another key."
    )
  }
}
