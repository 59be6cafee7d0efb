import LedgerSystem

/// Archives the events that a compaction is about to delete.
struct EventArchive {
  let directory: String
  let turn: CompactionTurn
  let progress: @Sendable (CompactionProgress) -> Void

  /// Writes one file with the events that were read back, up to `wanted`.
  ///
  /// The file is durable when this method returns, and no event after its last one may be deleted. A file
  /// with the same events may already exist, if a compaction ended before it deleted them.
  ///
  /// - Returns: The file, if there were events to archive, and its last event.
  /// - Throws: `corrupt` if the events up to the snapshot are not those that it was made from;
  ///   `alreadyExists` if a file of that name holds other events, such as those of the ledger before it was
  ///   restored from a backup.
  func write(through wanted: Position) async throws -> (path: String?, last: Position) {
    while true {
      do {
        return try await writeFile(through: wanted)
      } catch let error as LedgerError where error.code == .eventsDeleted {
        // Another session deleted the events, and archived them according to its policy, while this session
        // was frozen or in the last step before that session froze.
        continue
      }
    }
  }

  /// - Throws: In addition, `eventsDeleted` if events were deleted before they were archived.
  private func writeFile(through wanted: Position) async throws -> (path: String?, last: Position) {
    let (writer, total, last, path) = try await turn.step { (store) throws(LedgerError) in
      // A failure here is harmless.
      try? AtomicFile.removeUnfinished(in: directory) { Self.isName($0, of: store.ledgerID) }
      let summary = try store.snapshotSummary()
      let deletion = try EventDeletion.count(
        in: store, through: min(wanted, summary.readBackThrough)
      ) { _ in tell(0, of: 0) }
      let writer = ArchiveWriter(
        of: store.ledgerID, createdAt: store.createdAt, after: summary.deletedLog,
        through: deletion.through, known: summary.logDigest)
      let path = Self.path(
        in: directory, of: store.ledgerID, after: summary, through: deletion.through)
      return (writer, deletion.eventCount, deletion.through, path)
    }
    guard total > 0 else { return (nil, last) }
    try await write(writer, of: total, to: path)
    return (path, last)
  }

  private func write(_ writer: ArchiveWriter, of total: Int, to path: String) async throws {
    var writer = writer
    do {
      var file = try AtomicFile(path)
      while let piece = try await writer.next(in: turn) {
        try file.write(piece)
        tell(writer.eventCount, of: total)
      }
      try file.finishExclusively()
    } catch let error as SystemError {
      throw LedgerError.archiveNotWritten(path, error)
    }
  }

  private func tell(_ done: Int, of total: Int) {
    progress(CompactionProgress(phase: .archiving, done: done, total: total))
  }
}

// MARK: - Names

extension EventArchive {
  /// The path of the file in which events are archived.
  static func path(
    in directory: String, of ledger: LedgerID, after summary: SnapshotSummary, through end: Position
  ) -> String {
    let first = summary.deletedThrough.advanced(by: 1)
    return "\(directory)/\(ledger)-\(first.paddedText)-\(end.paddedText).jsonl"
  }

  /// Whether the compaction of a ledger creates archives with this name.
  private static func isName(_ name: String, of ledger: LedgerID) -> Bool {
    guard name.hasPrefix("\(ledger)-"), name.hasSuffix(".jsonl") else { return false }
    let numbers = name.dropFirst("\(ledger)-".count).dropLast(".jsonl".count)
      .split(separator: "-", omittingEmptySubsequences: false)
    return numbers.count == 2
      && numbers.allSatisfy { number in
        number.utf8.count == 20 && number.utf8.allSatisfy { (48...57).contains($0) }
      }
  }
}

extension Position {
  /// The number with leading zeros, so that names sort in the order of positions.
  fileprivate var paddedText: String {
    let digits = String(rawValue)
    return String(repeating: "0", count: max(0, 20 - digits.count)) + digits
  }
}

extension LedgerError {
  fileprivate static func archiveNotWritten(_ path: String, _ error: SystemError) -> LedgerError {
    guard error.code != .exists else {
      return LedgerError(
        .alreadyExists,
        "The archive \(path) already exists with other events, which may exist nowhere else. No event was deleted; archive to another directory, or move that file away, and compact again.",
        cause: error)
    }
    return LedgerError(
      error,
      "The archive \(path) cannot be written. No event was deleted; correct the cause and compact again."
    )
  }
}
