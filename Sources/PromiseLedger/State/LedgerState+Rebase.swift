// MARK: - Moving to another snapshot

extension LedgerState {
  /// Builds the overlay on another snapshot position.
  ///
  /// - Returns: Whether the whole overlay was dropped, because this state was behind the snapshot:
  ///   then anything may have changed.
  /// - Throws: `corrupt` if the snapshot went back.
  package mutating func rebase(onto reader: SnapshotReader) throws(LedgerError) -> Bool {
    guard reader.position >= base else {
      throw LedgerError(
        .corrupt,
        "The snapshot went back from position \(base) to \(reader.position): the ledger was replaced. Close it and open it again."
      )
    }
    guard reader.position > base else {
      // The same snapshot, perhaps of a ledger that was opened anew.
      snapshot = reader
      return false
    }
    guard reader.position <= position else {
      self = LedgerState(snapshot: reader)
      return true
    }
    snapshot = reader
    drop(through: reader.position)
    return false
  }

  /// Drops what the snapshot shows by itself.
  private mutating func drop(through position: Position) {
    promises = PromiseTable(promises.all.filter { $0.lastPosition > position })
    handlers = HandlerTable(handlers.all.filter { $0.lastPosition > position })
    sessions = sessions.filter { $0.value.lastPosition > position }
    removals.drop(through: position)
    // A subject whose overlay stays was perhaps made without the event that could not be applied.
    blocked = blocked.filter { $0.value.position > position || isOverlaid($0.key) }
    deadlines = DeadlineQueue()
    for promise in promises.open where promise.status == .pending {
      if let deadline = promise.deadline { deadlines.insert(deadline, promise.id) }
    }
    passedDeadline = nil
  }
}
