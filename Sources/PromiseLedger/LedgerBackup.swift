/// A backup of a ledger: what it contains.
public struct LedgerBackup: Sendable, Hashable {
  /// The id of the ledger, which the backup shares.
  public let ledgerID: LedgerID
  /// The position of the last event in the backup.
  public let position: Position
  /// The number of events in the backup.
  public let eventCount: Int
  /// The number of snapshot records in the backup.
  public let recordCount: Int
  /// The digest of all events up to the position.
  public let logDigest: LogDigest
  /// The size of the backup's data file, in bytes.
  public let sizeInBytes: Int
}
