internal import CLedgerLMDB

extension EnvironmentCore {
  /// The maximum number of free-list records that are checked when an environment is opened.
  private static let checkedRecords = 1024

  /// Refuses an environment whose newest meta page is not the newest state of the file.
  ///
  /// A flipped bit in a transaction number makes LMDB pick the older meta page, and one in a root
  /// makes it read an older tree: both are consistent, and acknowledged commits are gone. The free
  /// list reveals them. Transaction n records the pages that it freed under the key n, and it
  /// always frees something, at least the old root; and a root that is in use is in no record.
  ///
  /// LMDB takes a reader's number first and copies the meta page of that parity afterwards. If two
  /// commits of another process come in between, the number is two behind the tree. That is
  /// harmless to a reader, but it is the reason why a finding counts here only if it persists.
  func checkFreeList(against meta: MetaPage) throws(LMDBError) {
    var attempt = 0
    while true {
      do {
        return try checkFreeListOnce(against: meta)
      } catch {
        attempt += 1
        guard attempt < 16, error.refusal != nil else { throw error }
      }
    }
  }

  private func checkFreeListOnce(against meta: MetaPage) throws(LMDBError) {
    let transaction = try unsafe begin(flags: UInt32(MDB_RDONLY))
    defer { unsafe mdb_txn_abort(transaction) }
    let id = UInt64(unsafe mdb_txn_id(transaction))
    var cursor = try unsafe RawCursor(RawTransaction(transaction, seam), tableHandle: 0)
    // Empty in a new file and in a compacted copy.
    guard try cursor.move(MDB_LAST) else {
      if meta.transactionID == id { try unsafe checkLastPage(of: meta, transaction) }
      return
    }
    let newest = try unsafe RawTransaction.integer(cursor.key)
    guard newest == id else {
      throw implausible(
        id,
        "it belongs to transaction \(id), but the free list was written by transaction \(newest)")
    }
    // Another process may have committed since the meta page was read; that process knows
    // its roots.
    guard meta.transactionID == id else { return }
    try unsafe checkLastPage(of: meta, transaction)
    for _ in 0..<Self.checkedRecords {
      let pages = unsafe UnsafeRawBufferPointer(cursor.value)
      for offset in stride(from: 8, through: pages.count - 8, by: 8) {
        let page = unsafe pages.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        if page == meta.main.root || page == meta.freeList.root {
          throw implausible(id, "its root page \(page) was freed")
        }
      }
      guard try cursor.move(MDB_PREV) else { return }
    }
  }

  /// Refuses a meta page whose last page is lower than the number of pages in use and free: the
  /// next commit would take new pages from behind it, where old ones are.
  ///
  /// The last page may be higher: lost pages do no harm.
  private func checkLastPage(
    of meta: MetaPage, _ transaction: OpaquePointer
  ) throws(LMDBError) {
    let limit = meta.lastPage + 1
    // The sum of some thousands of these cannot overflow, whatever a damaged record says.
    func bounded(_ count: UInt64) -> UInt64 { min(count, limit + 1) }
    var count = 2 + bounded(meta.main.pageCount) + bounded(meta.freeList.pageCount)
    let raw = unsafe RawTransaction(transaction, seam)
    var tables = try RawCursor(raw, tableHandle: TransactionStamp.table.handle)
    var found = try tables.move(MDB_FIRST)
    var tableCount: UInt64 = 0
    while found {
      tableCount += 1
      guard tableCount <= meta.main.entries else {
        throw implausible(
          meta.transactionID, "it has more than the \(meta.main.entries) tables that it counts")
      }
      let key = unsafe UnsafeRawBufferPointer(tables.key)
      let record = unsafe UnsafeRawBufferPointer(tables.value)
      if unsafe key.elementsEqual(TransactionStamp.key) {
        found = try tables.move(MDB_NEXT)
        continue
      }
      guard record.count == MetaPage.Tree.byteCount else {
        throw implausible(meta.transactionID, "a table has a record of \(record.count) bytes")
      }
      // `md_branch_pages`, `md_leaf_pages`, `md_overflow_pages` of `MDB_db`.
      for offset in [8, 16, 24] {
        count += unsafe bounded(record.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      }
      found = try tables.move(MDB_NEXT)
    }
    var free = try RawCursor(raw, tableHandle: 0)
    found = try free.move(MDB_FIRST)
    var last: UInt64?
    while found {
      try unsafe RawTransaction.integer(free.key, follows: &last)
      let record = unsafe UnsafeRawBufferPointer(free.value)
      guard record.count >= 8 else {
        throw implausible(meta.transactionID, "a record of freed pages has \(record.count) bytes")
      }
      count += unsafe bounded(record.loadUnaligned(as: UInt64.self))
      found = try free.move(MDB_NEXT)
    }
    guard count <= limit else {
      throw implausible(
        meta.transactionID, "its last page is \(meta.lastPage), but the file has \(count) pages")
    }
  }

  private func implausible(_ transactionID: UInt64, _ what: String) -> LMDBError {
    LMDBError(
      .implausibleMeta(page: Int(transactionID % 2), what: what), .checkFile, path: path)
  }
}
