extension LedgerInspector {
  /// Writes an archive: a text that holds every event that is kept, and the snapshot that stands for
  /// the deleted ones, and that proves that nothing is missing.
  ///
  /// It sees the ledger as it is when it begins. Writers go on meanwhile, but space that they free is
  /// used again only when it is over. Some hundred events or records, or one large value, are in memory
  /// at a time.
  ///
  /// - Parameter sink: Gets the bytes of the archive, piece after piece. It must not read the ledger.
  /// - Throws: ``LedgerError`` with `corrupt`, or with `unsupportedEvent` for an event with bytes that
  ///   this build does not know; and what `sink` throws. What was written so far is then no archive: it
  ///   has no last line.
  @discardableResult
  public func export(_ sink: ([UInt8]) throws -> Void) throws -> ArchiveSummary {
    try readingInOneTransaction { transaction, tables in
      try PinnedLog.with(transaction, tables) { log in
        var writer = ArchiveWriter(
          of: id, createdAt: createdAt, try log.snapshotSummary(), through: try log.head())
        while let piece = try writer.next(from: log) { try sink(piece) }
        return try writer.finished
      }
    }
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
