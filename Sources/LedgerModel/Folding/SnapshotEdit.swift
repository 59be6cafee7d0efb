/// Collects the changes in the tables when a snapshot moves forward.
///
/// Pure: it receives the current records and the future entities.
package struct SnapshotEdit: Sendable {
  /// The summary of the snapshot before the edit.
  package let old: SnapshotSummary
  /// The summary of the snapshot after the edit.
  package var new: SnapshotSummary
  /// The number of records that are written or removed.
  package private(set) var recordCount = 0
  /// The number of these records whose ids are not ordered by time, such as ids derived from keys.
  package private(set) var randomRecordCount = 0
  /// The changes of each table, in the order of the tables.
  private var changes = [[TableChange]](repeating: [], count: SnapshotTable.allCases.count)

  package init(_ summary: SnapshotSummary) {
    old = summary
    new = summary
  }

  /// The changes in the order of tables and keys, which is the fastest order for a store.
  package var sortedChanges: [TableChange] {
    changes.flatMap { table in table.sorted { $0.key.precedes($1.key) } }
  }

  /// The number of changed entries.
  package var changeCount: Int { changes.reduce(0) { $0 + $1.count } }

  /// Returns the changes so far and forgets them.
  package mutating func takeSortedChanges() -> [TableChange] {
    defer { changes = changes.map { _ in [] } }
    return sortedChanges
  }

  private mutating func append(_ change: TableChange) {
    changes[change.table.rawValue].append(change)
  }

  private mutating func touch(_ id: EntityID) {
    recordCount += 1
    if id.time == nil { randomRecordCount += 1 }
  }

  // MARK: Records

  /// Replaces an entity's record.
  package mutating func put(
    _ entity: LedgerEntity, replacing stored: SnapshotRecord.Stored?
  ) throws(LedgerError) {
    let content = entity.content
    let id = entity.id
    let before = try stored.map { (stored) throws(LedgerError) in try LedgerEntity(id, stored) }
    if let stored { takeOut(id, stored) }
    new.stateDigest.add(entity.type, id, content)
    new.counts.add(entity.type, byteCount: content.count)
    let pieces = try SnapshotRecord.pieces(id, entity.type, content)
    for (number, piece) in pieces.enumerated() { put(piece, number, of: id) }
    deleteParts(of: id, from: pieces.count, stored)
    list(id, before?.openEntries ?? [], entity.openEntries)
    release(before?.attachments ?? [], except: entity.attachments)
    if id.time != nil { new.newestTimedID = max(new.newestTimedID, id) }
    touch(id)
  }

  /// Removes the record of an entity; a keyed entity leaves a tombstone.
  ///
  /// - Returns: The removed entity.
  @discardableResult
  package mutating func remove(
    _ id: EntityID, _ stored: SnapshotRecord.Stored
  ) throws(LedgerError) -> LedgerEntity {
    let entity = try LedgerEntity(id, stored)
    takeOut(id, stored)
    append(TableChange(.entities, SnapshotRecord.key(id), nil))
    deleteParts(of: id, from: 1, stored)
    list(id, entity.openEntries, [])
    release(entity.attachments, except: [])
    if entity.isKeyed { putTombstone(id) }
    touch(id)
    return entity
  }

  /// Adds a tombstone.
  package mutating func putTombstone(_ id: EntityID) {
    append(TableChange(.tombstones, SnapshotRecord.key(id), SnapshotRecord.tombstone(id)))
    new.stateDigest.addTombstone(id)
    new.counts.tombstones &+= 1
  }

  private mutating func takeOut(_ id: EntityID, _ stored: SnapshotRecord.Stored) {
    new.stateDigest.remove(stored.type, id, stored.content)
    new.counts.subtract(stored.type, byteCount: stored.content.count)
  }

  private mutating func put(_ piece: [UInt8], _ number: Int, of id: EntityID) {
    if number == 0 {
      append(TableChange(.entities, SnapshotRecord.key(id), piece))
    } else {
      append(TableChange(.parts, SnapshotRecord.partKey(id, number), piece))
    }
  }

  private mutating func deleteParts(
    of id: EntityID, from count: Int, _ stored: SnapshotRecord.Stored?
  ) {
    guard let stored else { return }
    let storedCount = SnapshotRecord.pieceCount(ofContent: stored.content.count)
    for number in min(count, storedCount)..<storedCount {
      append(TableChange(.parts, SnapshotRecord.partKey(id, number), nil))
    }
  }

  // MARK: Lists and attachments

  private mutating func list(_ id: EntityID, _ before: [OpenEntry], _ after: [OpenEntry]) {
    for entry in before where !after.contains(where: { $0.key == entry.key }) {
      append(TableChange(.open, entry.key, nil))
    }
    for entry in after where !before.contains(entry) {
      append(TableChange(.open, entry.key, entry.stored))
    }
    for entry in before { new.counts.lists.subtract(entry) }
    for entry in after { new.counts.lists.add(entry) }
  }

  /// Deletes attachments that the record no longer refers to and whose events are already deleted.
  private mutating func release(
    _ before: Set<AttachmentReference>, except kept: Set<AttachmentReference>
  ) {
    for attachment in before.subtracting(kept)
    where attachment.position <= old.deletedThrough {
      append(TableChange(deleting: attachment))
    }
  }

  /// Adds changes of the log and of attachments.
  package mutating func add(_ changes: [TableChange]) {
    for change in changes { append(change) }
  }
}

extension EventStore {
  /// Performs an edit in one transaction.
  ///
  /// - Returns: The time for which other writers were locked out.
  @discardableResult
  package func apply(
    _ edit: SnapshotEdit, patience: Patience
  ) throws(LedgerError) -> Duration {
    try changeSnapshot(edit.sortedChanges, from: edit.old, to: edit.new, patience: patience)
  }
}
