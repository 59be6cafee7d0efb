/// The tables that a snapshot lies in, and those whose entries compaction deletes.
package enum SnapshotTable: Int, Sendable, Hashable, CaseIterable {
  case entities, parts, open, tombstones, meta, log
  /// Attachments, by position. How a store keeps one is its own: only
  /// ``SnapshotTables/attachment(of:byteCount:)`` and ``SnapshotTables/auditOfAttachments()`` look at them.
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
/// Seen only inside the closure that gets it.
package protocol SnapshotTables {
  /// The value under a key; of another table than `blob`.
  func value(forKey key: [UInt8], in table: SnapshotTable) throws(LedgerError) -> [UInt8]?

  /// Whether exactly these bytes are stored under a key; with `nil`, whether nothing is.
  func holds(
    _ value: [UInt8]?, forKey key: [UInt8], in table: SnapshotTable
  ) throws(LedgerError) -> Bool

  /// How many entries a table says that it has; another one than `blob`.
  func entryCount(of table: SnapshotTable) throws(LedgerError) -> Int

  /// Visits the entries from the first key at or above `start` on, until `body` returns false; of
  /// another table than `blob`.
  func scan(
    _ table: SnapshotTable, from start: [UInt8],
    _ body: (_ key: [UInt8], _ value: [UInt8]) throws(LedgerError) -> Bool
  ) throws(LedgerError)

  /// The attachment of the event at `position`.
  ///
  /// - Throws: `corrupt` if it is missing or damaged.
  func attachment(of position: Position, byteCount: Int) throws(LedgerError) -> [UInt8]

  /// Begins to look at everything that is kept beside events.
  func auditOfAttachments() -> any AttachmentAudit
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
