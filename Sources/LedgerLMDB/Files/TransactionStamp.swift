/// The number of the transaction that wrote the newest version of the main tree, as a record in it.
///
/// The main tree is the list of tables, and names the root of each. If a disk loses the write of its page,
/// an older list stands there, whole, and may lead to older tables that are whole, too. LMDB's meta page
/// has the number of its transaction, and no other page has one: with this record the two can be
/// compared.
enum TransactionStamp {
  /// No table has this name.
  static let key = Array("transaction".utf8)
  static let valueByteCount = 8

  /// LMDB's handle of the main tree, in each environment (`MAIN_DBI`).
  static let table = Table(name: "", keys: .bytes, handle: 1)

  /// Whether the list of tables with this stamp can belong to a transaction.
  ///
  /// `mdb_env_copy2` with `MDB_CP_COMPACT` begins anew at 1, where there is no older list.
  static func belongs(_ stamp: UInt64, to transactionID: UInt64) -> Bool {
    stamp == transactionID || transactionID == 1
  }
}
