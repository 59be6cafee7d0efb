extension BlockingInspector {
  /// The digests of the events up to a position, and of the state that they result in.
  ///
  /// It sees the ledger as it was when it began. Writers continue meanwhile, but the space that they free is
  /// reused only after it finishes.
  ///
  /// - Parameters:
  ///   - end: The last event; by default the newest.
  ///   - progress: Called periodically with the position reached. It must not use a ledger.
  /// - Throws: ``LedgerError`` with `corrupt`: verify the ledger, and restore it from a copy; with
  ///   `invalidArgument` if there is no such event; with `eventsDeleted` if that event and events after it
  ///   were deleted: ask for a later position; with `closed` if the inspection is closed, even during the
  ///   call: begin another; `ioFailure`.
  /// - Complexity: O(events that are kept).
  package func digests(
    through end: Position? = nil, progress: (Position) -> Void = { _ in }
  ) throws(LedgerError) -> LedgerDigests {
    try store.withView { (log) throws(LedgerError) in
      let digest = try LogDigest(of: log, through: end, progress)
      let state = try Self.stateDigest(of: log, at: digest.position, progress)
      return LedgerDigests(log: digest, state: state)
    }
  }

  private static func stateDigest(
    of log: any LedgerSource, at position: Position, _ progress: (Position) -> Void
  ) throws(LedgerError) -> StateDigest? {
    do throws(LedgerError) {
      return try LedgerState.replayed(from: log, through: position, progress: progress)
        .digest { progress(position) }
    } catch {
      guard error.code == .eventsDeleted else { throw error }
      return nil
    }
  }

  /// The digest of all events up to a position, including deleted ones.
  ///
  /// It sees the ledger as it was when it began, as ``digests(through:progress:)`` does.
  ///
  /// - Parameters:
  ///   - digest: The digest to continue from; by default, that of the deleted events.
  ///   - end: The last event; by default the newest.
  ///   - progress: Called periodically with the position reached. It must not use a ledger.
  /// - Throws: As ``digests(through:progress:)``; with `eventsDeleted` also if events after `digest` were
  ///   deleted, and with `invalidArgument` if the position of `digest` is later than `end`.
  /// - Complexity: O(events) after `digest`.
  package func logDigest(
    from digest: LogDigest? = nil, through end: Position? = nil,
    progress: (Position) -> Void = { _ in }
  ) throws(LedgerError) -> LogDigest {
    try store.withView { (log) throws(LedgerError) in
      try LogDigest(of: log, from: digest, through: end, progress)
    }
  }
}

extension LogDigest {
  /// Continues a digest, or the digest of the deleted events, up to `end` or the newest event.
  fileprivate init(
    of log: any LedgerSource, from digest: LogDigest? = nil, through end: Position?,
    _ progress: (Position) -> Void
  ) throws(LedgerError) {
    let head = try log.head()
    let end = end ?? head
    guard end <= head else { throw .noEvent(at: end, head: head) }
    let deleted = try log.snapshotSummary().deletedLog
    guard end >= deleted.position else {
      throw .eventsDeleted(after: end, through: deleted.position)
    }
    self = digest ?? deleted
    guard position <= end else {
      throw LedgerError(
        .invalidArgument,
        "The given digest is for position \(position), which comes after position \(end).")
    }
    while position < end {
      let next = try continued(over: log, through: end)
      if next.position == position { throw .missingEvents(after: position) }
      self = next
      progress(position)
    }
  }
}
