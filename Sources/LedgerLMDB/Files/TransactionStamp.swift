/// A record in the main tree with the number of the transaction that wrote it.
///
/// The main tree is the list of tables and holds the root of each. If a disk loses a write of that list, an
/// older version remains in its place. The older version is valid, and so may be the tables that it leads
/// to. LMDB stores a transaction number in its meta pages only. This record makes it possible to compare
/// the list with the newest meta page.
enum TransactionStamp {
  /// No table has this name.
  static let key = Array("transaction".utf8)
  static let valueByteCount = 8

  /// LMDB's handle of the main tree, in every environment (`MAIN_DBI`).
  static let table = Table(name: "", keys: .bytes, handle: 1)

  /// Whether a list of tables with this stamp can belong to a transaction.
  ///
  /// A copy by `mdb_env_copy2` with `MDB_CP_COMPACT` restarts at transaction 1 and keeps the old stamp. An
  /// older list cannot exist there.
  static func belongs(_ stamp: UInt64, to transactionID: UInt64) -> Bool {
    stamp == transactionID || transactionID == 1
  }
}
