extension ArchiveWriter {
  /// The next piece, in one short read.
  mutating func next(in turn: CompactionTurn) async throws -> [UInt8]? {
    let (piece, next) = try await turn.step { [self] (store) throws(LedgerError) in
      var next = self
      return (try next.next(from: store), next)
    }
    self = next
    return piece
  }

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
