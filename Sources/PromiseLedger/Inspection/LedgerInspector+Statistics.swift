import LedgerLMDB
import LedgerSystem

extension LedgerInspector {
  private static let sliceEventCount = 10_000

  /// Counts what the ledger holds.
  ///
  /// - Parameter progress: Called now and then with the position reached.
  /// - Throws: ``LedgerError`` with `corrupt` at damaged events.
  /// - Complexity: O(events) in time, O(open promises) in memory.
  public func statistics(
    progress: (Position) -> Void = { _ in }
  ) throws(LedgerError) -> LedgerStatistics {
    var counter = StatisticsCounter(space: try space())
    var position = Position.start
    while true {
      let last = try log.read(after: position, limit: Self.sliceEventCount) {
        (frame) throws(LedgerError) in
        try counter.count(frame, byteCount: frame.header.byteCount)
      }
      guard last > position else { break }
      position = last
      progress(position)
    }
    return counter.finish()
  }

  private func space() throws(LedgerError) -> LedgerStatistics.Space {
    try readingEnvironment { (environment) throws(LedgerError) in
      try LedgerError.mapping { try LedgerStatistics.Space(of: environment) }
    }
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
        tables: tables)
    }
  }
}
