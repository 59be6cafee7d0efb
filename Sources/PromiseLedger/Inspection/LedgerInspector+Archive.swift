extension LedgerInspector {
  /// Begins an export of all events that are there now.
  ///
  /// - Throws: ``LedgerError`` with `corrupt`.
  public func export() throws(LedgerError) -> LedgerExport {
    let header = ArchiveHeader(
      ledgerID: metadata.ledgerID, createdAt: metadata.createdAt, base: .start)
    return LedgerExport(of: log, ArchiveProgress(header, through: try head))
  }

  /// The digest of all events up to a position.
  ///
  /// - Parameters:
  ///   - digest: Where to go on from; by default it begins with the first event.
  ///   - end: The last event; by default the newest.
  ///   - progress: Called now and then with the position reached.
  /// - Throws: ``LedgerError`` with `corrupt`, and with `invalidArgument` if there is no such event.
  /// - Complexity: O(events) after `digest`.
  public func logDigest(
    from digest: LogDigest = .start, through end: Position? = nil,
    progress: (Position) -> Void = { _ in }
  ) throws(LedgerError) -> LogDigest {
    let head = try head
    let end = end ?? head
    guard end <= head, digest.position <= end else {
      throw LedgerError(
        .invalidArgument,
        "There are no events after position \(digest.position) up to \(end): the last event has position \(head)."
      )
    }
    var digest = digest
    while digest.position < end {
      let next = try digest.continued(over: log, through: end)
      if next.position == digest.position { throw .missingEvents(after: digest.position) }
      digest = next
      progress(digest.position)
    }
    return digest
  }
}
