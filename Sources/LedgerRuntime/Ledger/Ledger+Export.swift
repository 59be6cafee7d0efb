extension Ledger {
  /// Writes an archive: a text with every event that is kept and the snapshot that stands for the deleted
  /// ones. It proves that nothing is missing.
  ///
  /// It contains the events that existed when it began, regardless of later writes. The ledger cannot be
  /// compacted during the export.
  ///
  /// - Parameter sink: Receives the bytes of the archive, piece by piece.
  /// - Throws: ``LedgerError`` with `compactionBusy` if the ledger is being compacted, `corrupt`,
  ///   `unsupportedEvent`, `closed`; any error that `sink` throws, and `CancellationError`. The output is
  ///   then not an archive, because it has no last line.
  @discardableResult
  public func export(_ sink: ([UInt8]) async throws -> Void) async throws -> ArchiveSummary {
    try await CompactionTurn(engine: engine).run { turn in
      let writer = try await engine.runBlocking {
        try await turn.step { (store) throws(LedgerError) in
          ArchiveWriter(
            of: store.ledgerID, createdAt: store.createdAt, try store.snapshotSummary(),
            through: try store.head())
        }
      }
      return try await write(writer, in: turn, to: sink)
    }
  }

  /// Writes an archive piece by piece. A remote store is read on a thread of the session.
  func write(
    _ writer: ArchiveWriter, in turn: CompactionTurn, to sink: ([UInt8]) async throws -> Void
  ) async throws -> ArchiveSummary {
    var writer = writer
    while true {
      let (piece, next) = try await engine.runBlocking { [writer] in
        var next = writer
        return (try await next.next(in: turn), next)
      }
      writer = next
      guard let piece else { return try writer.finished }
      try await sink(piece)
    }
  }
}
