/// The tables of a snapshot, and those whose entries compaction deletes.
public enum SnapshotTable: Int, Sendable, Hashable, CaseIterable {
  /// The first pieces of the records of entities.
  case entities
  /// The further pieces of records that are large.
  case parts
  /// The lists of records that can still change.
  case open
  /// The checksums of keys whose records were removed.
  case tombstones
  /// The summary of the snapshot, and what a store keeps about its ledger.
  case meta
  /// The frames of the log, by the position of their first event.
  case log
  /// The attachments, by position.
  ///
  /// Each store has its own representation: only ``SnapshotTables/attachments(_:)`` and
  /// ``SnapshotTables/auditOfAttachments()`` access them.
  case blob

  /// The name of the table in the environment.
  public var name: String {
    switch self {
    case .entities: "entities"
    case .parts: "parts"
    case .open: "open"
    case .tombstones: "tombstones"
    case .meta: "meta"
    case .log: "log"
    case .blob: "blob"
    }
  }
}

/// One consistent view of a snapshot's tables.
///
/// It is available only inside the closure that receives it, which uses nothing else of the store in the
/// meantime. Each call may be a round trip, so look-ups take several keys.
public protocol SnapshotTables {
  /// Returns the values under keys, in the order of the keys; not for the table `blob`.
  func values(
    forKeys keys: [[UInt8]], in table: SnapshotTable
  ) throws(LedgerError) -> [[UInt8]?]

  /// Whether the tables contain each of some changes, in their order: exactly its bytes under its key, or no
  /// entry.
  func show(_ changes: ArraySlice<TableChange>) throws(LedgerError) -> [Bool]

  /// Returns the number of entries in a table other than `blob`. This may require a walk through the table.
  func entryCount(of table: SnapshotTable) throws(LedgerError) -> Int

  /// Compares a table's own number of entries with the snapshot's count. Every read of a list calls it, so it
  /// must not walk the table: a store that keeps no such number, and detects lost entries by itself, does
  /// nothing.
  ///
  /// - Throws: `corrupt` if they differ.
  func checkCount(
    of table: SnapshotTable, in counts: SnapshotSummary.Counts
  ) throws(LedgerError)

  /// Visits the entries from the first key at or above `start` on, until `body` returns false; not for the
  /// table `blob`. No other method of the tables is called in the meantime.
  func scan(
    _ table: SnapshotTable, from start: [UInt8],
    _ body: (_ key: [UInt8], _ value: [UInt8]) throws(LedgerError) -> Bool
  ) throws(LedgerError)

  /// Returns the attachments of events, in order. A missing or damaged attachment fails individually, with
  /// `corrupt`.
  func attachments(
    _ wanted: [AttachmentReference]
  ) throws(LedgerError) -> [Result<[UInt8], LedgerError>]

  /// Begins a check of all values that are stored beside events.
  func auditOfAttachments() -> any AttachmentAudit
}

extension SnapshotTables {
  /// Compares the number that ``entryCount(of:)`` returns.
  public func checkCount(
    of table: SnapshotTable, in counts: SnapshotSummary.Counts
  ) throws(LedgerError) {
    try counts.check(entryCount(of: table), of: table)
  }

  /// Returns the value under a key; not for the table `blob`.
  package func value(
    forKey key: [UInt8], in table: SnapshotTable
  ) throws(LedgerError) -> [UInt8]? {
    try values(forKeys: [key], in: table)[0]
  }

  /// Returns the first entries after a key, at most `limit`; if there is damage, the readable entries before
  /// it.
  ///
  /// - Throws: `corrupt` if the first entry cannot be read, or the keys are out of order: a walk that
  ///   continues after the last one would loop forever.
  package func entries(
    of table: SnapshotTable, after last: [UInt8]?, limit: Int
  ) throws(LedgerError) -> [(key: [UInt8], value: [UInt8])] {
    var entries: [(key: [UInt8], value: [UInt8])] = []
    do throws(LedgerError) {
      try scan(table, from: last ?? [0]) { (key, value) throws(LedgerError) in
        if key == last { return true }
        if let before = entries.last?.key ?? last, !before.precedes(key) {
          throw .disordered(table)
        }
        entries.append((key, value))
        return entries.count < limit
      }
    } catch {
      guard error.isDamage, !entries.isEmpty else { throw error }
    }
    return entries
  }
}

extension LedgerError {
  fileprivate static func disordered(_ table: SnapshotTable) -> LedgerError {
    LedgerError(
      .corrupt,
      "The keys of the table \(table.name) are out of order. Restore the ledger from a copy.")
  }
}

/// A source of snapshot reads.
public protocol SnapshotSource {
  /// Runs `body` on one consistent view of the tables. Keep `body` short: the view pins freed space.
  func readSnapshot<R>(
    _ body: (any SnapshotTables) throws(LedgerError) -> R
  ) throws(LedgerError) -> R
}

/// A value to be stored under a key, or a key to be deleted.
public struct TableChange: Sendable, Hashable {
  /// The table.
  public let table: SnapshotTable
  /// The key; numbers are big-endian.
  public let key: [UInt8]
  /// The value; `nil` deletes the entry, which need not exist.
  public let value: [UInt8]?

  /// Makes a change.
  public init(_ table: SnapshotTable, _ key: [UInt8], _ value: [UInt8]?) {
    self.table = table
    self.key = key
    self.value = value
  }
}

extension TableChange {
  /// Whether the new value has the checksum that its table requires.
  package var isSound: Bool {
    switch table {
    case .entities, .parts, .open, .tombstones:
      value.map { SnapshotRecord.isSound($0, key: key) } ?? true
    case .meta, .log, .blob: true
    }
  }

  /// The entity that the change concerns, in the tables of a snapshot.
  package var subject: EntityID {
    let start = table == .open ? key.count - 16 : 0
    guard start >= 0, start + 16 <= key.count else { return EntityID(high: 0, low: 0) }
    return EntityID(loadedFrom: key.span, at: start)
  }
}
