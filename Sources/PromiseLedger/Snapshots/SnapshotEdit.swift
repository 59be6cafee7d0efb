/// Gathers what changes in the tables when a snapshot is moved on.
///
/// Pure: it gets the records as they are and the entities as they shall be.
package struct SnapshotEdit: Sendable {
  /// A record as it is stored.
  package typealias Stored = (kind: EntityKind, content: [UInt8])

  /// A record that a step wrote or removed, to be read back.
  package struct Touched: Sendable, Hashable {
    package let id: EntityID
    /// `nil` if the record was removed.
    package let record: Record?
  }

  package struct Record: Sendable, Hashable {
    package let kind: EntityKind
    package let content: [UInt8]
  }

  /// Where the snapshot stands before.
  package let old: SnapshotSummary
  /// Where it stands afterwards.
  package var new: SnapshotSummary
  package private(set) var touched: [Touched] = []
  private var changes: [TableChange] = []

  package init(_ summary: SnapshotSummary) {
    old = summary
    new = summary
  }

  /// The changes in the order of tables and keys, for which a store is fastest.
  package var sortedChanges: [TableChange] {
    var byTable: [SnapshotTable: [TableChange]] = [:]
    for change in changes { byTable[change.table, default: []].append(change) }
    return SnapshotTable.allCases.flatMap { table in
      (byTable[table] ?? []).sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }
  }

  /// How many entries change.
  package var changeCount: Int { changes.count }

  /// The changes so far, which are forgotten then.
  package mutating func takeSortedChanges() -> [TableChange] {
    defer { (changes, touched) = ([], []) }
    return sortedChanges
  }

  // MARK: Records

  /// Puts an entity in place of its record.
  package mutating func put(
    _ entity: LedgerEntity, replacing stored: Stored?
  ) throws(LedgerError) {
    let content = entity.content
    let id = entity.id
    let before = try stored.map { (stored) throws(LedgerError) in
      try LedgerEntity(kind: stored.kind, id: id, content: stored.content)
    }
    if let stored { takeOut(id, stored) }
    new.stateDigest.add(entity.kind, id, content)
    count(entity.kind, 1)
    new.counts.bytes &+= UInt64(content.count)
    let pieces = try SnapshotRecord.pieces(id, entity.kind, content)
    for (number, piece) in pieces.enumerated() { put(piece, number, of: id) }
    deleteParts(of: id, from: pieces.count, stored)
    list(id, before?.openEntries ?? [], entity.openEntries)
    release(before?.attachments ?? [], except: entity.attachments)
    touched.append(Touched(id: id, record: Record(kind: entity.kind, content: content)))
  }

  /// Removes the record of an entity; a keyed one leaves a tombstone.
  package mutating func remove(_ id: EntityID, _ stored: Stored) throws(LedgerError) {
    let entity = try LedgerEntity(kind: stored.kind, id: id, content: stored.content)
    takeOut(id, stored)
    changes.append(TableChange(.entities, SnapshotRecord.key(id), nil))
    deleteParts(of: id, from: 1, stored)
    list(id, entity.openEntries, [])
    release(entity.attachments, except: [])
    if entity.isKeyed { putTombstone(id) }
    touched.append(Touched(id: id, record: nil))
  }

  /// Adds a tombstone.
  package mutating func putTombstone(_ id: EntityID) {
    changes.append(TableChange(.tombstones, SnapshotRecord.key(id), []))
    new.stateDigest.addTombstone(id)
    new.counts.tombstones &+= 1
  }

  private mutating func takeOut(_ id: EntityID, _ stored: Stored) {
    new.stateDigest.remove(stored.kind, id, stored.content)
    count(stored.kind, -1)
    new.counts.bytes &-= UInt64(stored.content.count)
  }

  private mutating func count(_ kind: EntityKind, _ step: Int) {
    let step = UInt64(bitPattern: Int64(step))
    switch kind {
    case .promise: new.counts.promises &+= step
    case .session: new.counts.sessions &+= step
    case .handler: new.counts.handlers &+= step
    }
  }

  private mutating func put(_ piece: [UInt8], _ number: Int, of id: EntityID) {
    if number == 0 {
      changes.append(TableChange(.entities, SnapshotRecord.key(id), piece))
    } else {
      changes.append(TableChange(.parts, SnapshotRecord.partKey(id, number), piece))
    }
  }

  private mutating func deleteParts(of id: EntityID, from count: Int, _ stored: Stored?) {
    guard let stored else { return }
    let storedCount = SnapshotRecord.pieceCount(ofContent: stored.content.count)
    for number in min(count, storedCount)..<storedCount {
      changes.append(TableChange(.parts, SnapshotRecord.partKey(id, number), nil))
    }
  }

  // MARK: Lists and attachments

  private mutating func list(_ id: EntityID, _ before: [OpenEntry], _ after: [OpenEntry]) {
    for entry in before where !after.contains(where: { $0.key == entry.key }) {
      changes.append(TableChange(.open, entry.key, nil))
    }
    for entry in after where !before.contains(entry) {
      changes.append(TableChange(.open, entry.key, entry.value))
    }
    new.counts.listEntries &+= UInt64(after.count)
    new.counts.listEntries &-= UInt64(before.count)
  }

  /// Deletes attachments that the record names no more and whose events are deleted already.
  private mutating func release(
    _ before: Set<AttachmentReference>, except kept: Set<AttachmentReference>
  ) {
    for attachment in before.subtracting(kept)
    where attachment.position <= old.deletedThrough {
      changes += attachment.deletion
    }
  }

  /// Adds changes of the log and of attachments.
  package mutating func add(_ changes: [TableChange]) {
    self.changes += changes
  }
}

extension EventStore {
  /// Carries out an edit in one transaction.
  ///
  /// - Returns: How long other writers were locked out.
  @discardableResult
  package func apply(
    _ edit: SnapshotEdit, patience: Patience
  ) throws(LedgerError) -> Duration {
    try changeSnapshot(edit.sortedChanges, from: edit.old, to: edit.new, patience: patience)
  }
}
