/// The space that a ledger takes on disk.
package struct LedgerSpace: Sendable, Hashable {
  /// The size of the data file, in bytes.
  package let fileByteCount: Int
  /// The pages of it that are free for new events, in bytes.
  package let freeByteCount: Int
  /// The part of it behind the last page, which was reserved for new events and never used, in bytes.
  package let reservedByteCount: Int
  /// The size of other data files in the directory, which killed shrinks left, in bytes. The next session removes
  /// them.
  package let leftoverByteCount: Int
  /// The tables, in the order of their names.
  package let tables: [Table]
  /// The other processes that are currently reading.
  package let readers: [Reader]

  /// A process that is reading. Space that is freed after its read begins cannot be reused before the read
  /// ends.
  package struct Reader: Sendable, Hashable {
    /// The id of the process.
    package let processID: Int32
    /// The number of transactions that were written since its read began. A reader far behind is stuck, or
    /// its process is suspended. The next session or compaction releases a reader whose process is gone.
    package let transactionsBehind: Int
  }

  /// The part of the file that holds data, in bytes.
  package var usedByteCount: Int { fileByteCount - freeByteCount - reservedByteCount }

  /// One table of the store.
  package struct Table: Sendable, Hashable {
    /// Its name, as in the article *File format*.
    package let name: String
    /// The number of its records.
    package let recordCount: Int
    /// Its size in bytes, in whole pages.
    package let byteCount: Int
  }
}
