/// The contents of an archive: the result of an export or an import.
public struct ArchiveSummary: Sendable, Hashable {
  /// The id of the ledger.
  public let ledgerID: LedgerID
  /// The number of snapshot records; zero if the archive begins with the first event.
  public let recordCount: Int
  /// The number of events.
  public let eventCount: Int
  /// The digest of the events, which includes the position of the last one.
  public let logDigest: LogDigest
  /// The size of the archive, in bytes.
  public let byteCount: Int
  /// The paths of the archives that added nothing to an import, because earlier archives contain all their
  /// events. Empty after an export.
  public internal(set) var unusedArchives: [String] = []
}
