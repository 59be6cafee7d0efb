// MARK: - Moving to another snapshot

extension LedgerState {
  /// Builds the overlay on another snapshot position.
  ///
  /// - Parameter drops: Whether what the snapshot shows by itself is dropped at once. Otherwise it stays
  ///   in the overlay, where it is the same, until ``dropFolded()``: that takes a while, and a snapshot
  ///   that is folded on moves often.
  /// - Returns: Whether the whole overlay was dropped, because this state was behind the snapshot:
  ///   then anything may have changed.
  /// - Throws: `corrupt` if the snapshot went back.
  package mutating func rebase(
    onto reader: SnapshotReader, drops: Bool = true
  ) throws(LedgerError) -> Bool {
    guard reader.position >= base else {
      throw LedgerError(
        .corrupt,
        "The snapshot went back from position \(base) to \(reader.position): the ledger was replaced. Close it and open it again."
      )
    }
    guard reader.position <= position || reader.position == base else {
      self = LedgerState(snapshot: reader)
      return true
    }
    // What is passed of the deadlines stays so: its promises stay in the overlay until they are dropped.
    if reader.position > base { removals.dropRemovals(through: reader.position) }
    // Also one at the same position may be of a ledger that was opened anew.
    snapshot = reader
    // The overlay of a blocked subject is not what the snapshot has.
    if drops || !blocked.isEmpty { dropFolded() }
    return false
  }

  /// Whether the snapshot moved on so far that dropping costs little for each event of it.
  var isDropDue: Bool {
    let moved = base.rawValue - droppedThrough.rawValue
    let overlaidCount = promises.count + handlers.count + sessions.count
    return moved >= max(1_000, UInt64(overlaidCount / 2))
  }

  /// Drops what the snapshot shows by itself.
  ///
  /// - Complexity: O(changes since the snapshot).
  package mutating func dropFolded() {
    let position = base
    guard droppedThrough < position else { return }
    droppedThrough = position
    promises = PromiseTable(promises.all.filter { $0.lastPosition > position })
    handlers = HandlerTable(handlers.all.filter { $0.lastPosition > position })
    sessions = sessions.filter { $0.value.lastPosition > position }
    removals.dropClosings(through: position)
    // A subject whose overlay stays was perhaps made without the event that could not be applied.
    blocked = blocked.filter { subject, problem in
      blockedThrough[subject] ?? problem.position > position || isOverlaid(subject)
    }
    blockedThrough = blockedThrough.filter { blocked[$0.key] != nil }
    deadlines = DeadlineQueue()
    for promise in promises.open where promise.status == .pending {
      if let deadline = promise.deadline { deadlines.insert(deadline, promise.id) }
    }
    passedDeadline = nil
  }
}
