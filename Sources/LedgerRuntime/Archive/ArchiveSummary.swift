/// What an archive holds: the result of an export or an import.
public struct ArchiveSummary: Sendable, Hashable {
  /// The ledger.
  public let ledgerID: LedgerID
  /// How many records of a snapshot there are: none if the archive begins with the first event.
  public let recordCount: Int
  /// How many events there are.
  public let eventCount: Int
  /// The digest of the events, which says where the last of them stands.
  public let logDigest: LogDigest
  /// The size of the archive in bytes.
  public let byteCount: Int
  /// The paths of the archives that added nothing to an import, because those before have all their
  /// events. After an export there are none.
  public internal(set) var unusedArchives: [String] = []
}
