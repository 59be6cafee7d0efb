import LedgerSystem

extension LedgerEngine {
  /// Archives the events that are to be deleted, if the policy says so.
  ///
  /// The file is durable when this returns, and no event after its last one may be deleted. One that
  /// is there already with the same events, because a compaction ended before it deleted them, is fine.
  ///
  /// - Parameter end: The last event that may go; afterwards the last one that was archived.
  /// - Returns: The file; `nil` if there was nothing to do.
  /// - Throws: `corrupt` if the events up to the snapshot are not those that it was made of;
  ///   `alreadyExists` if a file of that name holds other events, such as those of the ledger
  ///   before it was restored from a backup.
  func archive(
    _ policy: CompactionPolicy, through end: inout Position,
    _ turn: CompactionLock.Turn, _ progress: @Sendable (CompactionProgress) -> Void
  ) async throws -> String? {
    guard let directory = policy.archiveDirectory else { return nil }
    let wanted = end
    while true {
      do {
        let (path, last) = try await archive(policy, in: directory, through: wanted, turn, progress)
        end = last
        return path
      } catch let error as LedgerError where error.code == .eventsCompacted {
        // Another session deleted them, and archived them as its policy says: while this one was frozen,
        // or in the last step before it froze itself.
        continue
      }
    }
  }

  /// - Returns: The file, if there was anything to do; and its last event.
  /// - Throws: Also `eventsCompacted`, if events were deleted before they were archived.
  private func archive(
    _ policy: CompactionPolicy, in directory: String, through wanted: Position,
    _ turn: CompactionLock.Turn, _ progress: @Sendable (CompactionProgress) -> Void
  ) async throws -> (path: String?, last: Position) {
    let begin = try await stepping(turn) { (store) throws(LedgerError) in
      // It is no matter if it fails.
      try? AtomicFile.removeUnfinished(in: directory) {
        CompactionPolicy.isArchiveName($0, of: store.ledgerID)
      }
      let summary = try store.snapshotSummary()
      let folded = min(wanted, summary.readBackThrough)
      let deletion = try EventDeletion.count(in: store, through: folded) { _ in
        progress(CompactionProgress(phase: .archiving, done: 0, total: 0))
      }
      return (id: store.ledgerID, createdAt: store.createdAt, summary, deletion)
    }
    let (summary, deletion) = (begin.2, begin.3)
    guard deletion.eventCount > 0,
      let path = policy.archivePath(of: begin.id, after: summary, through: deletion.through)
    else { return (nil, deletion.through) }
    var writer = ArchiveWriter(
      eventsOf: begin.id, createdAt: begin.createdAt, after: summary.deletedLog,
      through: deletion.through, known: summary.logDigest)
    var file = try AtomicFile(archive: path)
    while let piece = try await nextPiece(of: &writer, turn) {
      do throws(SystemError) {
        try file.write(piece)
      } catch {
        throw LedgerError.archiveNotWritten(path, error)
      }
      progress(
        CompactionProgress(
          phase: .archiving, done: writer.eventCount, total: deletion.eventCount))
    }
    do throws(SystemError) {
      try file.finishExclusively()
    } catch {
      throw LedgerError.archiveNotWritten(path, error)
    }
    return (path, deletion.through)
  }
}

extension AtomicFile {
  fileprivate init(archive path: String) throws(LedgerError) {
    do throws(SystemError) {
      try self.init(path)
    } catch {
      throw .archiveNotWritten(path, error)
    }
  }
}

extension CompactionPolicy {
  /// The file that events are archived in.
  func archivePath(
    of ledger: LedgerID, after summary: SnapshotSummary, through end: Position
  ) -> String? {
    guard let archiveDirectory else { return nil }
    let first = summary.deletedThrough.advanced(by: 1)
    return "\(archiveDirectory)/\(ledger)-\(first.paddedText)-\(end.paddedText).jsonl"
  }

  /// Whether the compaction of a ledger makes archives of such a name.
  static func isArchiveName(_ name: String, of ledger: LedgerID) -> Bool {
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
  /// With zeros before it, so that names are in the order of positions.
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
        "The archive \(path) is there already with other events, which may be nowhere else. No event was deleted; archive to another directory, or move that file away, and compact again.",
        cause: error)
    }
    return LedgerError(
      error,
      "The archive \(path) cannot be written. No event was deleted; mend this and compact again.")
  }
}
