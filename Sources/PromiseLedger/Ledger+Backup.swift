import LedgerLMDB
import LedgerSystem

extension LedgerInspector {
  /// Copies the ledger to another directory, consistently, while other processes use it.
  ///
  /// The backup is the ledger as of one moment, and contains everything that was acknowledged before this
  /// call. It appears at its path only once it is complete, verified and durable. It is a ledger of its own
  /// with the same id: open it, inspect it, or move it to the place of the original. Sessions that were open
  /// when it was made have no process there, so the first opening ends them and releases their calls.
  /// Do not let an original and its opened backup run beside each other: both would run the same work.
  ///
  /// Writers and compactions continue meanwhile, but the space that they free is reused only after the data is
  /// copied. If a session of this process needs the file for itself, such as to make it larger, the backup
  /// starts over. Memory holds some megabytes.
  ///
  /// - Parameter path: The directory of the backup, outside the ledger. It must be missing or empty, and its
  ///   parent must exist.
  /// - Throws: ``LedgerError`` with `alreadyExists`, `invalidArgument`, `notFound`, `permissionDenied`,
  ///   `networkFileSystem`, `diskFull`, `ioFailure` about the path; with `corrupt` if the ledger is damaged:
  ///   salvage it; with `closed`; `CancellationError`. Then no backup was made.
  /// - Complexity: O(data) in time; O(entities) in memory, for the verification.
  @discardableResult
  public func backUp(to path: String) async throws -> LedgerBackup {
    try await run { try $0.backUp(to: path) { try Task.checkCancellation() } }
  }
}

extension BlockingInspector {
  /// Copies the ledger, as ``LedgerInspector/backUp(to:)`` does.
  ///
  /// - Parameter tick: Called now and then; an error ends the backup.
  package func backUp(to path: String, _ tick: () throws -> Void) throws -> LedgerBackup {
    guard let store = store as? LMDBInspection else {
      throw LedgerError(
        .invalidArgument,
        "The ledger is not stored in files, so its files cannot be copied. Export it instead.")
    }
    let backup = try LedgerDirectory(checking: path)
    try store.directory.checkPlace(ofCopy: backup, "A backup")
    return try withoutActuallyEscaping(tick) { tick in
      while true {
        do {
          return try BackupRun(store: store, backup: backup, tick: tick).run()
        } catch let error as LedgerError where error.lookAgain == .viewTaken {
          continue
        }
      }
    }
  }
}

/// One backup while it is made.
private struct BackupRun {
  let store: LMDBInspection
  let backup: LedgerDirectory
  let tick: () throws -> Void

  func run() throws -> LedgerBackup {
    try store.checkEveryPage(tick)
    var metadata = store.metadata
    metadata.generation = 1
    metadata.isSealed = false
    var position = Position.start
    var verified: VerificationSummary?
    var byteCount = 0
    do {
      try LMDBEventStore.construct(backup, metadata: metadata) { environment in
        position = try copy(into: environment)
        byteCount = try environment.info().highWaterBytes
      } check: { directory in
        verified = try NewLedgerCheck.verify(
          directory, refusing: "No backup was made, because the ledger is damaged",
          advice: "Verify the ledger, and salvage it or restore it from another copy.", tick)
      }
    } catch let error as LedgerError where error.code == .alreadyExists {
      throw LedgerError.copyExists(at: backup.path, "A backup")
    }
    guard let verified, let digest = verified.logDigest, digest.position == position else {
      throw LedgerError(.internalInconsistency, "A backup does not end where its copy ended.")
    }
    return LedgerBackup(
      ledgerID: metadata.ledgerID, position: position, eventCount: verified.eventCount,
      recordCount: verified.recordCount, logDigest: digest, sizeInBytes: byteCount)
  }

  /// Copies what is there now.
  ///
  /// - Returns: The position of the last event.
  private func copy(into destination: Environment) throws -> Position {
    let acknowledged = try store.acknowledged()
    return try store.readingInOneTransaction { transaction, tables, environment in
      let head = try PinnedLog.with(transaction, tables) { try $0.head() }
      try AcknowledgedMark.check(acknowledged, isIn: head)
      let used =
        try environment.info().highWaterBytes
        - transaction.freePageCount() * environment.info().pageSize
      try LedgerDirectory.checkRoom(for: used, in: destination.path, "The backup")
      try TableCopy(from: tables, to: destination) { _ in
        try tick()
        // A session of this process must change the map of the file, or the inspection is being closed.
        if environment.isAwaited { throw LedgerError.viewTaken }
      }.copy(transaction)
      return head
    }
  }
}
