/// The tables that a snapshot lies in, and those whose entries compaction deletes.
package enum SnapshotTable: Int, Sendable, Hashable, CaseIterable {
  case entities, parts, open, tombstones, meta, log
  /// Attachments, by position. How a store keeps one is its own: only
  /// ``SnapshotTables/attachments(_:)`` and ``SnapshotTables/auditOfAttachments()`` look at them.
  case blob

  /// Its name in the environment.
  package var name: String {
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
/// Seen only inside the closure that gets it, which uses nothing else of the store meanwhile. Each call
/// may be a round trip, so look-ups are plural.
package protocol SnapshotTables {
  /// The values under keys, in their order; of another table than `blob`.
  func values(
    forKeys keys: [[UInt8]], in table: SnapshotTable
  ) throws(LedgerError) -> [[UInt8]?]

  /// Whether the tables show each of some changes, in their order: exactly its bytes under its key, or
  /// nothing there.
  func show(_ changes: ArraySlice<TableChange>) throws(LedgerError) -> [Bool]

  /// How many entries a table has; another one than `blob`. It may take a walk through the table.
  func entryCount(of table: SnapshotTable) throws(LedgerError) -> Int

  /// Compares how many entries a table says that it has with what the snapshot counts. Every read of a
  /// list asks, so it takes no walk: a store that keeps no such number, and notices by itself when
  /// entries get lost, does nothing.
  ///
  /// - Throws: `corrupt` if they differ.
  func checkCount(
    of table: SnapshotTable, in counts: SnapshotSummary.Counts
  ) throws(LedgerError)

  /// Visits the entries from the first key at or above `start` on, until `body` returns false; of
  /// another table than `blob`. No other call of the tables is made meanwhile.
  func scan(
    _ table: SnapshotTable, from start: [UInt8],
    _ body: (_ key: [UInt8], _ value: [UInt8]) throws(LedgerError) -> Bool
  ) throws(LedgerError)

  /// The attachments of events, in their order. One that is missing or damaged fails by itself, with
  /// `corrupt`.
  func attachments(
    _ wanted: [AttachmentReference]
  ) throws(LedgerError) -> [Result<[UInt8], LedgerError>]

  /// Begins to look at everything that is kept beside events.
  func auditOfAttachments() -> any AttachmentAudit
}

extension SnapshotTables {
  package func checkCount(
    of table: SnapshotTable, in counts: SnapshotSummary.Counts
  ) throws(LedgerError) {
    try counts.check(entryCount(of: table), of: table)
  }

  /// The value under a key; of another table than `blob`.
  package func value(
    forKey key: [UInt8], in table: SnapshotTable
  ) throws(LedgerError) -> [UInt8]? {
    try values(forKeys: [key], in: table)[0]
  }

  /// The first entries after a key, at most `limit`; before damage, those that can be read.
  ///
  /// - Throws: `corrupt` if the first one cannot be read, or the keys are not in order: a walk that goes
  ///   on after the last one would go in circles.
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
      "The keys of the table \(table.name) are not in order. Restore the ledger from a copy.")
  }
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

extension TableChange {
  /// Whether what is put carries the checksum that its table wants.
  package var isSound: Bool {
    switch table {
    case .entities, .parts, .open, .tombstones:
      value.map { SnapshotRecord.isSound($0, key: key) } ?? true
    case .meta, .log, .blob: true
    }
  }

  /// The entity that it is about, in the tables of a snapshot.
  package var subject: EntityID {
    let start = table == .open ? key.count - 16 : 0
    guard start >= 0, start + 16 <= key.count else { return EntityID(high: 0, low: 0) }
    return EntityID(loadedFrom: key.span, at: start)
  }
}
