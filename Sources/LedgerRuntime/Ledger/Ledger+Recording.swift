package import LedgerSystem

extension Ledger {
  /// Records the history of the ledger in a file: an archive with digests of the states that this build had on
  /// the way, which other builds compare with theirs.
  ///
  /// It contains the events that existed when it began, regardless of later writes. The ledger cannot be
  /// compacted meanwhile. The file appears under its name only when it is complete, and replaces one that is
  /// there. Values are recorded as they are: the tool can redact them.
  ///
  /// ```swift
  /// try await ledger.record(to: "/tmp/orders.jsonl")
  /// ```
  ///
  /// - Parameter path: The path of the file; its directory must exist.
  /// - Returns: A summary of the archive.
  /// - Throws: As ``export(_:)``; also ``LedgerError`` with `notFound`, `permissionDenied`, `diskFull` or
  ///   `ioFailure` if the file cannot be written: correct the cause, and record again.
  /// - Complexity: O(events that are kept) in time; in memory, the entities that changed since the snapshot, or
  ///   those of the first 100,000 events.
  @discardableResult
  public func record(to path: String) async throws -> ArchiveSummary {
    do {
      var file = try AtomicFile(path)
      let summary = try await record { piece in try file.write(piece) }
      try file.finish()
      return summary
    } catch let error as SystemError {
      throw LedgerError.recordingNotWritten(path, error)
    }
  }

  /// Records the history of the ledger, piece by piece.
  package func record(_ sink: ([UInt8]) throws -> Void) async throws -> ArchiveSummary {
    try await CompactionTurn(engine: engine).run { turn in
      try await record(in: turn, sink)
    }
  }

  private func record(
    in turn: CompactionTurn, _ sink: ([UInt8]) throws -> Void
  ) async throws -> ArchiveSummary {
    var states = try await engine.runBlocking {
      try await turn.step { (store) throws(LedgerError) in try RecordedStates(of: store) }
    }
    let end = states.end
    var recording: ArchiveRecording?
    while recording == nil {
      (recording, states) = try await engine.runBlocking { [states] in
        try await turn.step { (store) throws(LedgerError) in
          var next = states
          return (try next.next(from: store), next)
        }
      }
    }
    let writer = try await engine.runBlocking { [recording] in
      try await turn.step { (store) throws(LedgerError) in
        ArchiveWriter(
          of: store.ledgerID, createdAt: store.createdAt, try store.snapshotSummary(),
          through: end, recording: recording)
      }
    }
    return try await write(writer, in: turn, to: sink)
  }
}

extension LedgerError {
  package static func recordingNotWritten(_ path: String, _ error: SystemError) -> LedgerError {
    guard error.code == .notFound || error.code == .notDirectory else {
      return LedgerError(error, "The recording \(path) cannot be written.")
    }
    return LedgerError(
      .notFound,
      "The recording \(path) cannot be written: there is no such directory. Make it first.",
      cause: error)
  }
}
