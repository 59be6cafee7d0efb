extension Ledger {
  /// Writes an archive: a text that holds every event that is kept, and the snapshot that stands for
  /// the deleted ones, and that proves that nothing is missing.
  ///
  /// It is made of the events that were there when it began, whatever is written meanwhile. The
  /// ledger cannot be compacted meanwhile.
  ///
  /// - Parameter sink: Gets the bytes of the archive, piece after piece.
  /// - Throws: ``LedgerError`` with `compactionBusy` if the ledger is being compacted, `corrupt`,
  ///   `unsupportedEvent`, `closed`; what `sink` throws, and `CancellationError`. What was written so far
  ///   is then no archive: it has no last line.
  @discardableResult
  public func export(_ sink: ([UInt8]) async throws -> Void) async throws -> ArchiveSummary {
    let turn = CompactionTurn(engine: engine)
    defer { turn.end() }
    var writer = try await engine.runBlocking {
      try await turn.step { (store) throws(LedgerError) in
        ArchiveWriter(
          of: store.ledgerID, createdAt: store.createdAt, try store.snapshotSummary(),
          through: try store.head())
      }
    }
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
