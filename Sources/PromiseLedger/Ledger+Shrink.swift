import LedgerLMDB
import LedgerRuntime
import LedgerSystem

extension Ledger {
  /// Previews a shrink without performing it.
  ///
  /// - Throws: ``LedgerError`` with `closed`, `corrupt`, `ioFailure`; with `invalidArgument` if the ledger is not
  ///   stored in files.
  /// - Complexity: O(free pages of the file).
  public func planShrink() async throws -> ShrinkPlan {
    try await engine.withStore { store in try LMDBEventStore.shrinkable(store).planShrink() }
  }

  /// Gives the free space of the ledger's data file back to the disk.
  ///
  /// The data file never becomes smaller by itself. A shrink copies the data into a new file while other processes
  /// read and write, verifies the copy, and moves the ledger to it: writers wait for some milliseconds. Sessions
  /// and inspections of all processes go on with the new file by themselves. Nothing that was acknowledged is
  /// lost, even if the process is killed or the power fails. Compact first, because a shrink deletes nothing.
  ///
  /// The disk must have room for the copy. The space of the old file becomes free once the last process has moved
  /// on: a session does at once, and an inspection with its next read. You can cancel a shrink until the ledger
  /// moves. If the ledger is frozen meanwhile, the shrink starts over when it is unfrozen.
  ///
  /// - Parameter progress: Receives the progress after each step.
  /// - Throws: ``LedgerError`` with `compactionBusy` if the ledger is being compacted or shrunk already; `corrupt`
  ///   if it is damaged: salvage it; `diskFull`, `writerStalled`, `permissionDenied`, `ioFailure`, `closed`; with
  ///   `invalidArgument` if the ledger is not stored in files; `CancellationError`. The ledger then stays in its
  ///   old file, or if the disk failed in the last step, moves when something is written next.
  /// - Complexity: O(data) in time; O(entities) in memory, for the verification.
  @discardableResult
  public func shrink(
    progress: @escaping @Sendable (ShrinkProgress) -> Void = { _ in }
  ) async throws -> ShrinkReport {
    let patience = configuration.writerStallTimeout
    return try await engine.runCompaction { store in
      try LMDBEventStore.shrinkable(store).shrink(patience: patience, progress)
    }
  }
}

extension LMDBEventStore {
  fileprivate static func shrinkable(
    _ store: any EventStore
  ) throws(LedgerError) -> LMDBEventStore {
    guard let store = store as? LMDBEventStore else {
      throw LedgerError(
        .invalidArgument,
        "The ledger is not stored in files, so there is no file to shrink. Free the space in its store."
      )
    }
    return store
  }

  fileprivate func planShrink() throws(LedgerError) -> ShrinkPlan {
    let files = try currentFiles()
    let path = directory.generation(files.generation) + "/data.mdb"
    return ShrinkPlan(
      sizeInBytes: try LedgerError.system("The data file cannot be examined.") {
        () throws(SystemError) in try FileSystem.fileSize(path)
      },
      usedByteCount: try usedByteCount())
  }

  /// Shrinks the ledger, on this thread.
  fileprivate func shrink(
    patience: Duration, _ report: @escaping (ShrinkProgress) -> Void
  ) throws -> ShrinkReport {
    try shrinking.run {
      while true {
        let ticker = ShrinkTicker(
          check: {
            guard !self.shrinking.isOver else { throw LedgerError.storeClosed }
            try Task.checkCancellation()
          }, report: report)
        do {
          return try ShrinkRun(self, patience: patience, ticker).run()
        } catch let error as LedgerError
          where error.lookAgain == .snapshotMoved || error.lookAgain == .viewTaken
        {
          continue
        } catch let error as LMDBError {
          throw LedgerError(error)
        } catch let error as SystemError {
          throw LedgerError(error, "The ledger at \(directory.path) cannot be shrunk.")
        }
      }
    }
  }
}
