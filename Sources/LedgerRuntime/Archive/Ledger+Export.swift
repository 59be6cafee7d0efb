extension Ledger {
  /// Writes an archive: a text that holds every event that is kept, and the snapshot that stands for
  /// the deleted ones, and that proves that nothing is missing.
  ///
  /// It is made of the events that were there when it began, whatever is written meanwhile. Nobody can
  /// compact the ledger meanwhile.
  ///
  /// - Parameter sink: Gets the bytes of the archive, piece after piece.
  /// - Throws: ``LedgerError`` with `compactionBusy` if the ledger is being compacted, `corrupt`,
  ///   `unsupportedEvent`, `closed`; what `sink` throws, and `CancellationError`. What was written so far
  ///   is then no archive: it has no last line.
  @discardableResult
  public func export(_ sink: ([UInt8]) async throws -> Void) async throws -> ArchiveSummary {
    try await engine.alone { turn in
      var writer = try await engine.withStore { (store) throws(LedgerError) in
        ArchiveWriter(
          of: store.ledgerID, createdAt: store.createdAt, try store.snapshotSummary(),
          through: try store.head())
      }
      while let piece = try await engine.nextPiece(of: &writer, turn) { try await sink(piece) }
      return try writer.finished
    }
  }
}

extension LedgerEngine {
  /// The next piece of an archive, in one short read.
  func nextPiece(
    of writer: inout ArchiveWriter, _ turn: CompactionLock.Turn
  ) async throws -> [UInt8]? {
    let last = writer
    let (piece, next) = try await stepping(turn) { (store) throws(LedgerError) in
      var next = last
      return (try next.next(from: store), next)
    }
    writer = next
    return piece
  }
}

extension ArchiveWriter {
  /// What the archive holds.
  var finished: ArchiveSummary {
    get throws(LedgerError) {
      guard let summary else {
        throw LedgerError(.internalInconsistency, "An archive ended without its last line.")
      }
      return summary
    }
  }
}
