extension BlockingInspector {
  /// Writes an archive: a text with every event that is kept and the snapshot that stands for the deleted
  /// ones. It proves that nothing is missing.
  ///
  /// It sees the ledger as it was when it began. Writers continue meanwhile, but the space that they free is
  /// reused only after it finishes. Memory holds a few hundred events or records, or one large value, at a
  /// time.
  ///
  /// - Parameter sink: Receives the bytes of the archive, piece by piece. It must not read the ledger.
  /// - Throws: ``LedgerError`` with `corrupt`, or with `unsupportedEvent` for an event with bytes that this
  ///   build does not know; and any error that `sink` throws. The output is then not an archive, because it
  ///   has no last line.
  @discardableResult
  package func export(_ sink: ([UInt8]) throws -> Void) throws -> ArchiveSummary {
    try store.withPinnedView { log in
      var writer = ArchiveWriter(
        of: id, createdAt: createdAt, try log.snapshotSummary(), through: try log.head())
      while let piece = try writer.next(from: log) { try sink(piece) }
      return try writer.finished
    }
  }
}
