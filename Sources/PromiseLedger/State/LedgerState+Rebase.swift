// MARK: - Moving to another snapshot

extension LedgerState {
  /// Builds the overlay on another snapshot position.
  ///
  /// - Parameter drops: Whether what the snapshot shows by itself is dropped at once. Otherwise it stays
  ///   in the overlay, where it is the same, until ``dropFolded(limit:)``: that takes a while, and a
  ///   snapshot that is folded on moves often.
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
    if drops || !blocked.isEmpty { dropAllFolded() }
    return false
  }
}
