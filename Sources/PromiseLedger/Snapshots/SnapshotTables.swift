/// The tables that a snapshot lies in, and those whose entries compaction deletes.
package enum SnapshotTable: String, Sendable, Hashable, CaseIterable {
  case entities, parts, open, tombstones, meta, log, blob
}

/// One consistent view of a snapshot's tables.
///
/// Seen only inside the closure that gets it.
package protocol SnapshotTables {
  /// The value under a key.
  func value(forKey key: [UInt8], in table: SnapshotTable) throws(LedgerError) -> [UInt8]?

  /// Visits the entries from the first key at or above `start` on, until `body` returns false.
  func scan(
    _ table: SnapshotTable, from start: [UInt8],
    _ body: (_ key: [UInt8], _ value: [UInt8]) throws(LedgerError) -> Bool
  ) throws(LedgerError)
}

/// Where a snapshot is kept.
package protocol SnapshotSource {
  /// Runs `body` on one consistent view of the tables. Keep it short: it pins freed space.
  func readSnapshot<R>(
    _ body: (any SnapshotTables) throws(LedgerError) -> R
  ) throws(LedgerError) -> R
}

/// A value to be put under a key, or a key to be deleted.
package struct TableChange: Sendable, Hashable {
  package let table: SnapshotTable
  /// Big-endian where it is a number.
  package let key: [UInt8]
  /// `nil` deletes the entry; it need not be there.
  package let value: [UInt8]?

  package init(_ table: SnapshotTable, _ key: [UInt8], _ value: [UInt8]?) {
    self.table = table
    self.key = key
    self.value = value
  }
}
