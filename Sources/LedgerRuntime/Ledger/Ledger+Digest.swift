extension Ledger {
  /// The digest of all events up to the newest, including deleted ones.
  ///
  /// - Parameter digest: The digest to continue from; by default, that of the deleted events.
  /// - Throws: ``LedgerError`` with `corrupt`, `closed`; with `eventsDeleted` if events after `digest`
  ///   were deleted.
  /// - Complexity: O(events) after `digest`.
  public func logDigest(from digest: LogDigest? = nil) async throws -> LogDigest {
    let (end, deleted) = try await engine.readStore { store in
      (try store.head(), try store.snapshotSummary().deletedLog)
    }
    var digest = digest ?? deleted
    while digest.position < end {
      try Task.checkCancellation()
      let start = digest
      digest = try await engine.readStore { store in
        try start.continued(over: store, through: end)
      }
      if digest.position == start.position {
        throw LedgerError.missingEvents(after: start.position)
      }
    }
    return digest
  }
}
