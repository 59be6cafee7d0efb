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
    try store.withPinnedView { log in
      var writer = ArchiveWriter(
        of: id, createdAt: createdAt, try log.snapshotSummary(), through: try log.head())
      while let piece = try writer.next(from: log) { try sink(piece) }
      return try writer.finished
    }
  }
}
