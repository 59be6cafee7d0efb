internal import CLedgerLMDB

/// The size and shape of one table (`MDB_stat`).
package struct TableStatistics: Sendable, Hashable {
  package let entries: Int
  package let depth: Int
  package let branchPages: Int
  package let leafPages: Int
  package let overflowPages: Int

  init(_ statistics: MDB_stat) {
    entries = Int(clamping: statistics.ms_entries)
    depth = Int(clamping: statistics.ms_depth)
    branchPages = Int(clamping: statistics.ms_branch_pages)
    leafPages = Int(clamping: statistics.ms_leaf_pages)
    overflowPages = Int(clamping: statistics.ms_overflow_pages)
  }

  package var pages: Int { branchPages + leafPages + overflowPages }
}

/// The environment as a whole (`MDB_envinfo` and the page size).
///
/// LMDB's last transaction id is not included: it runs ahead of the readable state.
package struct EnvironmentInfo: Sendable, Hashable {
  /// Bytes of address space, not of disk.
  package let mapSize: Int
  package let pageSize: Int
  /// The highest page in use so far; the file never shrinks below it.
  package let lastPage: Int
  package let maximumReaders: Int

  /// The minimum size of the file, in bytes.
  package var highWaterBytes: Int { (lastPage + 1) * pageSize }
}

extension TableReader where Self: ~Copyable {
  /// The size and shape of `table` as this transaction sees it (`mdb_stat`).
  package borrowing func statistics(of table: Table) throws(LMDBError) -> TableStatistics {
    TableStatistics(try raw.statistics(ofHandle: table.handle))
  }
}

extension ReadTransaction {
  /// The number of pages of the file that are free for reuse, or will be when older readers end.
  ///
  /// Walks LMDB's own list of them: table 0, one record for each transaction that freed pages,
  /// whose first word is a count and whose others are the pages.
  ///
  /// - Complexity: O(records of the free list).
  package borrowing func freePageCount() throws(LMDBError) -> Int {
    var cursor = try RawCursor(raw, tableHandle: 0)
    var total = 0
    var last: UInt64?
    var found = try cursor.move(MDB_FIRST)
    while found {
      try unsafe RawTransaction.integer(cursor.key, follows: &last)
      let record = unsafe UnsafeRawBufferPointer(cursor.value)
      let wordSize = MemoryLayout<UInt>.size
      guard record.count >= wordSize else { throw LMDBError(.corrupted, .moveCursor) }
      let count = unsafe record.loadUnaligned(as: UInt.self)
      guard count <= UInt(record.count / wordSize - 1) else {
        throw LMDBError(.corrupted, .moveCursor)
      }
      // Whatever damaged records say, their sum cannot overflow.
      total += Int(min(count, UInt(UInt32.max)))
      found = try cursor.move(MDB_NEXT)
    }
    return total
  }
}

extension Environment {
  /// Sizes and limits of the environment (`mdb_env_info`, `mdb_env_stat`).
  package func info() throws(LMDBError) -> EnvironmentInfo {
    try core.whileOpen(share) { () throws(LMDBError) in
      var info = unsafe MDB_envinfo()
      var statistics = MDB_stat()
      try core.require(.environmentInfo) { unsafe mdb_env_info(core.handle, &info) }
      try core.require(.environmentStatistics) { unsafe mdb_env_stat(core.handle, &statistics) }
      return unsafe EnvironmentInfo(
        mapSize: Int(clamping: info.me_mapsize),
        pageSize: Int(clamping: statistics.ms_psize),
        lastPage: Int(clamping: info.me_last_pgno),
        maximumReaders: Int(clamping: info.me_maxreaders))
    }
  }

  /// Flushes the file (`mdb_env_sync`); needed only when durability is not full.
  package func sync(force: Bool = true) throws(LMDBError) {
    try core.whileOpen(share) { () throws(LMDBError) in
      try core.require(.syncEnvironment) { unsafe mdb_env_sync(core.handle, force ? 1 : 0) }
    }
  }
}

extension EnvironmentCore {
  /// Keeps the environment open during a call that is not a transaction.
  func whileOpen<R>(
    _ share: TransactionGate.Share, _ body: () throws(LMDBError) -> R
  ) throws(LMDBError) -> R {
    try refuseForkAndPanic()
    try gate.enter(share)
    defer { gate.leave(share) }
    return try body()
  }

  func require(_ operation: LMDBOperation, _ call: () -> Int32) throws(LMDBError) {
    try seam.require(operation, path: path, call)
  }
}
