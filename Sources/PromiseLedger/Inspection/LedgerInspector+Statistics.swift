import LedgerLMDB
import LedgerSystem

extension LedgerInspector {
  /// Counts what the ledger holds.
  ///
  /// It sees the ledger as it is when it begins. Writers go on meanwhile, but space that they free is
  /// used again only when it is over.
  ///
  /// - Parameter progress: Called now and then with the position reached. It must not use a ledger.
  /// - Throws: ``LedgerError`` with `corrupt` at damaged events: verify the ledger, and restore it from a
  ///   copy; with `closed` if the inspection is closed, also meanwhile: begin another; `ioFailure`.
  /// - Complexity: O(events + entities + pages of the file) in time, O(entities that changed since the
  ///   snapshot) in memory.
  public func statistics(
    progress: (Position) -> Void = { _ in }
  ) throws -> LedgerStatistics {
    // The sizes of tables are what their records say, and none of it can be counted otherwise.
    if let miscount = try checkAllPages({ progress(.start) }) { throw miscount }
    let space = try space()
    return try log.withView { (log) throws(LedgerError) in
      try LedgerError.mapping { try statistics(of: log, space, progress) }
    }
  }

  private func statistics(
    of log: any LedgerSource, _ space: LedgerStatistics.Space, _ progress: (Position) -> Void
  ) throws -> LedgerStatistics {
    var statistics = LedgerStatistics(try log.snapshotSummary(), space: space)
    let replayed = ReplayedLedger(
      try .replayed(from: log, progress: progress), of: log, in: directory)
    var position = statistics.deletedThrough
    var commit: CommitID?
    while position < replayed.position {
      position = try log.read(after: position, limit: EventSlice.eventCount) {
        (frame) throws(LedgerError) in
        try statistics.count(frame, of: &commit)
      }
      progress(position)
    }
    try statistics.count(replayed) { progress(position) }
    try statistics.checkCounts(of: log) { progress(position) }
    return statistics
  }

  private func space() throws(LedgerError) -> LedgerStatistics.Space {
    try readingEnvironment { (environment) throws(LedgerError) in
      try LedgerError.mapping { try LedgerStatistics.Space(of: environment) }
    }
  }
}

extension LedgerStatistics {
  /// Compares what was counted with what the tables and the snapshot say that there is.
  ///
  /// - Throws: `corrupt` if they differ.
  fileprivate func checkCounts(
    of log: any LedgerSource, _ tick: () -> Void
  ) throws(LedgerError) {
    try SnapshotReader(log).checkCounts(tick)
    let count = try log.readSnapshot { (tables) throws(LedgerError) in
      try tables.entryCount(of: .log)
    }
    guard count != frameCount else { return }
    throw LedgerError(
      .corrupt,
      "The table log has \(count) records, and \(frameCount) can be reached. Restore the ledger from a copy."
    )
  }
}

extension LedgerStatistics.Space {
  fileprivate init(of environment: Environment) throws {
    let pageSize = try environment.info().pageSize
    let fileSize = try FileSystem.fileSize(environment.path + "/data.mdb")
    self = try environment.read { transaction in
      var tables: [LedgerStatistics.Table] = []
      for table in environment.tables.sorted(by: { $0.name < $1.name }) {
        let statistics = try transaction.statistics(of: table)
        tables.append(
          LedgerStatistics.Table(
            name: table.name, recordCount: statistics.entries,
            byteCount: statistics.pages * pageSize))
      }
      return Self(
        fileByteCount: fileSize, freeByteCount: try transaction.freePageCount() * pageSize,
        tables: tables, readers: try Self.readers(of: environment))
    }
  }

  /// The readers of other processes, as a transaction that just began sees them.
  private static func readers(of environment: Environment) throws -> [LedgerStatistics.Reader] {
    let slots = try environment.readerList()
    let newest = slots.compactMap(\.transactionID).max() ?? 0
    return slots.compactMap { slot in
      guard let transaction = slot.transactionID, slot.processID != ThisProcess.id else {
        return nil
      }
      return LedgerStatistics.Reader(
        processID: slot.processID, transactionsBehind: Int(clamping: newest - transaction))
    }
  }
}
