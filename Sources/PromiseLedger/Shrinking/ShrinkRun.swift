import LedgerLMDB
import LedgerSystem

/// One shrink: a copy of the ledger's data into new files, to which all processes then move.
///
/// The article *File format* describes the steps, and why a process may be killed between any two of them.
struct ShrinkRun {
  /// The number of events that may be copied while writers wait, if there is a choice.
  private static let tailEventCount = 500
  /// The number of attempts to catch up with the writers before they have to wait.
  private static let maximumRoundCount = 20

  /// The copied part of the ledger.
  private struct Copied {
    var summary: SnapshotSummary
    var end: LogEnd
  }

  private let store: LMDBEventStore
  private let patience: Duration
  private let progress: ShrinkTicker
  private var directory: LedgerDirectory { store.directory }
  private var options: StoreOptions { store.options }

  /// - Parameters:
  ///   - patience: How long to wait for a writer.
  ///   - progress: Told of each step; an error ends the shrink.
  init(_ store: LMDBEventStore, patience: Duration, _ progress: ShrinkTicker) {
    self.store = store
    self.patience = patience
    self.progress = progress
  }

  func run() throws -> ShrinkReport {
    guard let hold = try store.lockForCompaction() else { throw LedgerError.compactionBusy }
    defer { hold.release() }
    let old = try StoreFiles.openCurrent(directory, options)
    defer { try? old.environment.close() }
    try UnusedGenerations(besides: old.generation, in: directory).remove()
    try check(old)
    let sizeBefore = try FileSystem.fileSize(dataFile(old.generation))
    // A function of its own, so that an unfinished copy is removed before the lock is released.
    let moved = try copyAndMove(from: old)

    try? old.environment.close()
    // The session of this store moves, too, so that the old files take no space any more.
    _ = try? store.currentFiles()
    try? UnusedGenerations(besides: moved.generation, in: directory).remove()
    return ShrinkReport(
      sizeInBytesBefore: sizeBefore,
      sizeInBytes: try FileSystem.fileSize(dataFile(moved.generation)),
      position: moved.end, longestLock: moved.lock)
  }

  private func copyAndMove(
    from old: StoreFiles
  ) throws -> (generation: String, end: Position, lock: Duration) {
    let new = try NewGeneration(replacing: old, in: directory, options)
    try progress.begin(.copying)
    var copied = try copyAll(from: old, to: new)
    try progress.begin(.verifying)
    try new.verify(in: directory, progress.tick)
    try progress.begin(.moving)
    options.hooks.shrinkStep?(.copied)
    copied = try catchUp(from: old, to: new, copied)
    let files = try new.takeName(in: directory, options)
    options.hooks.shrinkStep?(.named)
    copied = try catchUp(from: old, to: new, copied)
    let lock = try move(from: old, to: new, files, &copied)
    return (new.name, copied.end.position, lock)
  }

  private func dataFile(_ generation: String) -> String {
    directory.generation(generation) + "/data.mdb"
  }

  /// Checks the structure of the old files, because LMDB could crash this process on a damaged page, and the
  /// room on the disk.
  private func check(_ files: StoreFiles) throws {
    let environment = files.environment
    var end: (any Error)?
    let miscount: LMDBError?
    do throws(LMDBError) {
      miscount = try environment.checkTrees(.everything(), tables: LedgerTables.descriptions) {
        do { try progress.tick() } catch { end = error }
        return end == nil
      }
    } catch {
      if let end { throw end }
      // Nothing else has this handle: another thread of this process must change the map of the file.
      if error.refusal == .closed { throw LedgerError.viewTaken }
      throw error
    }
    if let miscount { throw LedgerError(miscount) }
    let used = try environment.read { transaction in
      try environment.info().highWaterBytes
        - transaction.freePageCount() * environment.info().pageSize
    }
    try LedgerDirectory.checkRoom(for: used, in: directory.path, "The shrunk copy of the ledger")
  }

  // MARK: Copying

  private func copyAll(from old: StoreFiles, to new: NewGeneration) throws -> Copied {
    try reading(old) { transaction, view in
      let copied = Copied(summary: try view.snapshotSummary(), end: try view.end())
      try copy(from: old, to: new).copy(transaction)
      return copied
    }
  }

  /// Copies the events that were written meanwhile, until only a few are missing.
  private func catchUp(
    from old: StoreFiles, to new: NewGeneration, _ copied: Copied
  ) throws -> Copied {
    var copied = copied
    for _ in 0..<Self.maximumRoundCount {
      try progress.tick()
      let before = copied.end.position
      copied = try copyTail(from: old, to: new, copied)
      if before.distance(to: copied.end.position) <= Self.tailEventCount { break }
    }
    return copied
  }

  /// Copies the events that were written after those that are copied.
  private func copyTail(
    from old: StoreFiles, to new: NewGeneration, _ copied: Copied
  ) throws -> Copied {
    try reading(old) { transaction, view in
      let found = Copied(summary: try view.snapshotSummary(), end: try view.end())
      guard found.summary == copied.summary else { throw LedgerError.snapshotMoved }
      if found.end != copied.end {
        try copy(from: old, to: new).copyEvents(after: copied.end.position, transaction)
      }
      return found
    }
  }

  private func copy(from old: StoreFiles, to new: NewGeneration) -> TableCopy {
    TableCopy(from: LedgerTables(old.environment), to: new.environment) { byteCount in
      try progress.copied(byteCount)
      // Another thread of this process must change the map of the file.
      if old.environment.isAwaited { throw LedgerError.viewTaken }
    }
  }

  private func reading<R>(
    _ files: StoreFiles, _ body: (borrowing ReadTransaction, PinnedLog) throws -> R
  ) throws -> R {
    let environment = files.environment
    return try environment.read { transaction in
      try PinnedLog.with(transaction, LedgerTables(environment)) { view in
        try body(transaction, view)
      }
    }
  }

  // MARK: Moving

  /// Moves the ledger to the new files, while no process can write. Nothing after the seal needs room on the
  /// disk, memory, or another descriptor.
  ///
  /// - Returns: The time for which writers waited.
  private func move(
    from old: StoreFiles, to new: NewGeneration, _ files: StoreFiles, _ copied: inout Copied
  ) throws -> Duration {
    let words = try SharedWords(path: directory.wake)
    defer { words.close() }
    // Not the gate of the session, which leaves it if it is frozen meanwhile.
    let gate = try WriterGate.open(directory.gate, words: words)
    defer { gate.close() }
    // On a full disk this fails, and not the steps after the seal.
    var current = try AtomicFile(directory.current)
    try current.write(LedgerDirectory.currentContent(new.name))
    try current.prepare()

    try pass(gate)
    let start = MonotonicClock.now
    options.hooks.shrinkStep?(.gatePassed)
    copied = try copyTail(from: old, to: new, copied)
    try requireSameTables(old, new)
    try seal(old, copied)
    options.hooks.shrinkStep?(.sealed)
    new.keep()
    do {
      try current.finish()
      options.hooks.shrinkStep?(.switched)
      try LMDBEventStore.finishMove(to: files, in: directory)
      files.mark.move(to: copied.end.position, in: words)
    } catch {
      // CURRENT decides. If this fails, too, the next writer does it.
      let current = try? directory.readCurrentGeneration()
      if let used = [old, files].first(where: { $0.generation == current }) {
        try? LMDBEventStore.finishMove(to: used, in: directory)
      }
      throw error
    }
    Doorbell(words).ring()
    return MonotonicClock.now - start
  }

  private func pass(_ gate: WriterGate) throws {
    var failure: (any Error)?
    let outcome = try gate.pass(within: patience) {
      do { try progress.tick() } catch { failure = error }
      return failure != nil
    }
    if let failure { throw failure }
    switch outcome {
    case .passed: return
    case .interrupted: throw LedgerError.storeClosed
    case .stalled(let holder): throw LedgerError.writerStalled(holder, patience)
    }
  }

  /// Compares the numbers of entries of all tables. The ends of the logs are compared in the commit that seals
  /// the old files.
  private func requireSameTables(_ old: StoreFiles, _ new: NewGeneration) throws {
    for table in SnapshotTable.allCases {
      let counts = try [old.environment, new.environment].map { environment in
        try environment.read { transaction in
          try transaction.count(of: environment.table(named: table.name))
        }
      }
      guard counts[0] == counts[1] else {
        throw LedgerError(
          .internalInconsistency,
          "The ledger was not shrunk: its table \(table.name) has \(counts[0]) entries, and the copy \(counts[1]). Nothing was changed."
        )
      }
    }
  }

  /// Seals the old files, if the copy has everything that is in them.
  private func seal(_ old: StoreFiles, _ copied: Copied) throws {
    let agreement = try TableAgreement(LedgerTables(old.environment))
    let meta = try old.environment.table(named: SnapshotTable.meta.name)
    try old.environment.setSealed(true) { transaction in
      let summary = try LMDBLog.summary(of: transaction, meta)
      guard try agreement.checkedEnd(in: transaction) == copied.end, summary == copied.summary
      else { throw LedgerError.snapshotMoved }
    }
  }
}
