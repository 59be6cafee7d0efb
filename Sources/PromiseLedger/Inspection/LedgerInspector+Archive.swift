extension LedgerInspector {
  /// Begins an export of all events that are there now.
  ///
  /// - Throws: ``LedgerError`` with `corrupt`.
  public func export() throws(LedgerError) -> LedgerExport {
    let header = ArchiveHeader(
      ledgerID: metadata.ledgerID, createdAt: metadata.createdAt, base: .start)
    return LedgerExport(of: log, ArchiveProgress(header, through: try head))
  }

  /// The digest of all events up to a position, those that were deleted included.
  ///
  /// - Parameters:
  ///   - digest: Where to go on from; by default where events are kept.
  ///   - end: The last event; by default the newest.
  ///   - progress: Called now and then with the position reached.
  /// - Throws: ``LedgerError`` with `corrupt`; with `invalidArgument` if there is no such event; with
  ///   `eventsCompacted` if it, or events after `digest`, were deleted.
  /// - Complexity: O(events) after `digest`.
  public func logDigest(
    from digest: LogDigest? = nil, through end: Position? = nil,
    progress: (Position) -> Void = { _ in }
  ) throws(LedgerError) -> LogDigest {
    let head = try head
    let end = end ?? head
    guard end <= head else { throw .noEvent(at: end, head: head) }
    let deleted = try log.snapshotSummary().deletedLog
    var digest = digest ?? deleted
    guard end >= deleted.position else {
      throw .eventsCompacted(after: end, through: deleted.position)
    }
    guard digest.position <= end else {
      throw LedgerError(
        .invalidArgument,
        "The digest that was given is of position \(digest.position), after position \(end).")
    }
    while digest.position < end {
      let next = try digest.continued(over: log, through: end)
      if next.position == digest.position { throw .missingEvents(after: digest.position) }
      digest = next
      progress(digest.position)
    }
    return digest
  }
}
