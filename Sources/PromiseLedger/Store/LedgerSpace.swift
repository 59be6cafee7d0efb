/// The space that a ledger takes on disk.
public struct LedgerSpace: Sendable, Hashable {
  /// The size of the data file, in bytes.
  public let fileByteCount: Int
  /// The part of it that is free for new events, in bytes.
  public let freeByteCount: Int
  /// The tables, in the order of their names.
  public let tables: [Table]
  /// The other processes that are currently reading.
  public let readers: [Reader]

  /// A process that is reading. Space that is freed after its read begins cannot be reused before the read
  /// ends.
  public struct Reader: Sendable, Hashable {
    /// The id of the process.
    public let processID: Int32
    /// The number of transactions that were written since its read began. A reader far behind is stuck, or
    /// its process is suspended. The next session or compaction releases a reader whose process is gone.
    public let transactionsBehind: Int
  }

  /// One table of the store.
  public struct Table: Sendable, Hashable {
    /// Its name, as in the article *File format*.
    public let name: String
    /// The number of its records.
    public let recordCount: Int
    /// Its size in bytes, in whole pages.
    public let byteCount: Int
  }
}
