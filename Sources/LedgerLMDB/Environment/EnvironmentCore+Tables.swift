internal import CLedgerLMDB
internal import Synchronization

extension EnvironmentCore {
  /// Opens the tables that are not open yet, in one transaction, and commits it.
  ///
  /// `mdb_dbi_open`: "The database handle will be private to the current transaction until the
  /// transaction is successfully committed", and it "must not be called from multiple concurrent
  /// transactions in the same process", which the lock around the map of tables prevents. That lock
  /// is held while a transaction that creates tables waits for the writer, so an environment must
  /// not be opened inside a write transaction.
  func open(
    _ descriptions: [TableDescription], _ share: TransactionGate.Share, mayCreate: Bool
  ) throws(LMDBError) -> [Table] {
    try tables.withLock { (known) throws(LMDBError) in
      try open(descriptions, &known, share, mayCreate)
    }
  }

  private func open(
    _ descriptions: [TableDescription], _ known: inout [String: Table],
    _ share: TransactionGate.Share, _ mayCreate: Bool
  ) throws(LMDBError) -> [Table] {
    let missing = descriptions.filter { known[$0.name] == nil }
    if known.isEmpty || !missing.isEmpty {
      for table in try openMissing(missing, share, mayCreate) { known[table.name] = table }
    }
    var tables: [Table] = []
    for description in descriptions {
      guard let table = known[description.name], table.keys == description.keys else {
        throw LMDBError(
          .optionsMismatch("table \(description.name) has keys of another kind"), .openTable,
          path: path)
      }
      tables.append(table)
    }
    return tables
  }

  private func openMissing(
    _ descriptions: [TableDescription], _ share: TransactionGate.Share, _ mayCreate: Bool
  ) throws(LMDBError) -> [Table] {
    try gate.enter(share)
    defer { gate.leave(share) }
    // Looked up in a read transaction first: an open that creates nothing takes no write lock, so
    // it succeeds while another process is writing, however long that takes.
    do throws(LMDBError) {
      return try unsafe openMissing(descriptions, flags: 0, begun: begin(flags: UInt32(MDB_RDONLY)))
    } catch {
      guard mayCreate, error.operation == .openTable, error.status == .notFound else { throw error }
    }
    try gate.refuseNestedWrite()
    return try unsafe openMissing(descriptions, flags: UInt32(MDB_CREATE), begun: begin(flags: 0))
  }

  private func openMissing(
    _ descriptions: [TableDescription], flags: UInt32, begun: OpaquePointer
  ) throws(LMDBError) -> [Table] {
    var tables: [Table] = []
    do throws(LMDBError) {
      if descriptions.isEmpty { try unsafe openMainTree(begun) }
      for description in descriptions {
        var table: MDB_dbi = 0
        let keys = description.keys == .integer ? UInt32(MDB_INTEGERKEY) : 0
        try require(.openTable) {
          unsafe mdb_dbi_open(begun, description.name, flags | keys, &table)
        }
        try unsafe checkKeys(of: table, description, begun)
        tables.append(Table(name: description.name, keys: description.keys, handle: table))
      }
      if flags & UInt32(MDB_CREATE) != 0 { try unsafe RawTransaction(begun, seam).stamp() }
    } catch {
      unsafe mdb_txn_abort(begun)
      throw error
    }
    let status = unsafe seam.commit(begun)
    guard status == .success else { throw explain(LMDBError(status, .commit)) }
    return tables
  }

  /// Opens the main tree, into which every commit puts a stamp. LMDB has no comparison function for
  /// its keys until the main tree or any table is opened.
  private func openMainTree(_ transaction: OpaquePointer) throws(LMDBError) {
    var table: MDB_dbi = 0
    let status = seam(.openTable) { unsafe mdb_dbi_open(transaction, nil, 0, &table) }
    guard status == .success, table == TransactionStamp.table.handle else {
      throw LMDBError(status, .openTable, path: path)
    }
  }

  /// The flags in the file override the requested ones, so they are compared afterwards.
  private func checkKeys(
    of table: MDB_dbi, _ description: TableDescription, _ transaction: OpaquePointer
  ) throws(LMDBError) {
    var flags: UInt32 = 0
    try require(.tableFlags) { unsafe mdb_dbi_flags(transaction, table, &flags) }
    let expected = description.keys == .integer ? UInt32(MDB_INTEGERKEY) : 0
    guard flags & ~UInt32(MDB_CREATE) == expected else {
      // The program always names its tables the same way, so the file is wrong.
      throw LMDBError(.corrupted, .openTable, path: path)
    }
  }
}
