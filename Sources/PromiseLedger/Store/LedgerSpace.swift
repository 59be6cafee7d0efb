/// The space that a ledger takes on disk.
public struct LedgerSpace: Sendable, Hashable {
  /// The size of the data file in bytes.
  public let fileByteCount: Int
  /// The part of it that is free for new events, in bytes.
  public let freeByteCount: Int
  /// The tables, in the order of their names.
  public let tables: [Table]
  /// The other processes that read just now.
  public let readers: [Reader]

  /// A process that reads: space that was freed after its read began cannot be used again before it
  /// ends.
  public struct Reader: Sendable, Hashable {
    /// The process.
    public let processID: Int32
    /// How many transactions were written since its read began. A reader far behind is stuck, or its
    /// process is suspended; one whose process is gone is released by the next session or compaction.
    public let transactionsBehind: Int
  }

  /// One table of the store.
  public struct Table: Sendable, Hashable {
    /// Its name, as in the article *File format*.
    public let name: String
    /// How many records it has.
    public let recordCount: Int
    /// Its size in bytes, whole pages.
    public let byteCount: Int
  }
}
