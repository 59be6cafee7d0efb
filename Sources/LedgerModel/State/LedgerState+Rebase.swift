// MARK: - Moving to another snapshot

extension LedgerState {
  /// Moves the overlay to another snapshot position.
  ///
  /// - Parameter drops: Whether entities that the snapshot already contains are dropped at once. Otherwise
  ///   they stay in the overlay, with equal contents, until a walk of ``dropStep()``s reaches them. Dropping
  ///   takes a while, and a snapshot that is being folded moves often.
  /// - Returns: Whether the whole overlay was dropped because this state was behind the snapshot; in that
  ///   case, anything may have changed.
  /// - Throws: `corrupt` if the snapshot moved backwards.
  package mutating func rebase(
    onto reader: SnapshotReader, drops: Bool = true
  ) throws(LedgerError) -> Bool {
    guard reader.position >= base else { throw .wentBack(from: base, to: reader.position) }
    guard reader.position <= position || reader.position == base else {
      self = LedgerState(snapshot: reader)
      return true
    }
    // Passed deadlines stay passed: their promises stay in the overlay until they are dropped.
    if reader.position > base { removals.dropRemovals(through: reader.position) }
    // Even a snapshot at the same position may belong to a reopened ledger.
    snapshot = reader
    unblockFolded()
    if drops { dropAllFolded() }
    return false
  }

  /// Unblocks subjects whose events the snapshot contains completely, even events that this build does not
  /// understand and that the overlay therefore lacks.
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
      // The subject's deadline was passed while it could not be written to.
      passedDeadline = nil
    }
  }
}

extension LedgerError {
  /// The error for a snapshot that moved backwards; it may only move forward.
  package static func wentBack(from position: Position, to other: Position) -> LedgerError {
    LedgerError(
      .corrupt,
      "The snapshot went back from position \(position) to \(other): the ledger was replaced. Close the ledger and open it again."
    )
  }
}
