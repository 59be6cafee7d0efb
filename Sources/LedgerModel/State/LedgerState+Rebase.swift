// MARK: - Moving to another snapshot

extension LedgerState {
  /// Builds the overlay on another snapshot position.
  ///
  /// - Parameter drops: Whether what the snapshot shows by itself is dropped at once. Otherwise it stays
  ///   in the overlay, where it is the same, until a walk of ``dropStep()``s comes to it: that
  ///   takes a while, and a snapshot that is folded on moves often.
  /// - Returns: Whether the whole overlay was dropped, because this state was behind the snapshot:
  ///   then anything may have changed.
  /// - Throws: `corrupt` if the snapshot went back.
  package mutating func rebase(
    onto reader: SnapshotReader, drops: Bool = true
  ) throws(LedgerError) -> Bool {
    guard reader.position >= base else { throw .wentBack(from: base, to: reader.position) }
    guard reader.position <= position || reader.position == base else {
      self = LedgerState(snapshot: reader)
      return true
    }
    // What is passed of the deadlines stays so: its promises stay in the overlay until they are dropped.
    if reader.position > base { removals.dropRemovals(through: reader.position) }
    // Also one at the same position may be of a ledger that was opened anew.
    snapshot = reader
    unblockFolded()
    if drops { dropAllFolded() }
    return false
  }

  /// Reads blocked subjects from the snapshot that has all their events: also those that this build does
  /// not understand, which the overlay is made without.
  private mutating func unblockFolded() {
    guard !blocked.isEmpty else { return }
    for (subject, problem) in blocked {
      let last = max(blockedThrough[subject] ?? .start, problem.position)
      let isFolded = max(overlaid(subject)?.lastPosition ?? .start, last) <= base
      guard isFolded, removals.removed[subject] == nil else { continue }
      _ = promises.remove(PromiseID(entityID: subject))
      _ = handlers.remove(HandlerID(entityID: subject))
      sessions[SessionID(entityID: subject)] = nil
      blocked[subject] = nil
      blockedThrough[subject] = nil
      // Its deadline was passed while it could not be written to.
      passedDeadline = nil
    }
  }
}

extension LedgerError {
  /// A snapshot only moves on.
  package static func wentBack(from position: Position, to other: Position) -> LedgerError {
    LedgerError(
      .corrupt,
      "The snapshot went back from position \(position) to \(other): the ledger was replaced. Close it and open it again."
    )
  }
}
