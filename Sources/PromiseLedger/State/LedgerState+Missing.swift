// MARK: - What is not there

extension LedgerState {
  /// Why there is no such handler.
  func refusal(ofMissing id: HandlerID) throws(LedgerError) -> LedgerError {
    try refusal(ofMissing: id.entityID, "handler", .handlerNotFound(id))
  }

  /// Why there is nothing with an id; says, too, if it is so old that its record may have been removed.
  ///
  /// - Parameters:
  ///   - name: What it would be.
  ///   - otherwise: What is to be said if it never was there.
  func refusal(
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
