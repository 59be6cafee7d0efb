/// Looks up entities in the stored snapshot, below the events that are replayed.
///
/// The reader represents the snapshot at one position and first searches the parts that were already read.
/// Any other item is read from its source, if it has one: each look-up is then one short read that checks
/// that the snapshot has not moved, and fails with `snapshotMoved` otherwise. Without a source, the reader
/// notes the missing item.
package struct SnapshotReader: Sendable {
  /// `nil` for the snapshot of a ledger without one, and for a snapshot that is not read here.
  let source: (any SnapshotSource & Sendable)?

  /// The parts already read, and the position of the snapshot.
  private(set) var known: SnapshotExcerpt

  /// Receives the missing items, if there is no source.
  private var notes: LackNotes?

  /// The snapshot of a ledger that has none.
  package static let empty = SnapshotReader(
    source: nil, known: SnapshotExcerpt(countedLists: CountedLists()))

  private init(source: (any SnapshotSource & Sendable)?, known: SnapshotExcerpt) {
    self.source = source
    self.known = known
  }

  init(
    _ source: any SnapshotSource & Sendable, summary: SnapshotSummary, countedLists: CountedLists
  ) {
    let isSame = countedLists.position == summary.position
    self.init(
      source: source,
      known: SnapshotExcerpt(
        summary,
        countedLists: isSame ? countedLists : CountedLists(at: summary.position)))
  }

  /// Reads the current snapshot.
  package init(_ source: any SnapshotSource & Sendable) throws(LedgerError) {
    self.init(source, summary: try source.snapshotSummary(), countedLists: CountedLists())
  }

  /// Uses the parts that were read of a snapshot, without a source.
  package init(_ excerpt: SnapshotExcerpt) {
    self.init(source: nil, known: excerpt)
  }

  /// The same snapshot, read from another source.
  package func reading(from source: any SnapshotSource & Sendable) -> SnapshotReader {
    SnapshotReader(source: isEmpty ? nil : source, known: known)
  }

  /// The same snapshot, with records that were already read.
  ///
  /// - Parameter notes: Receives the items that are still missing.
  func knowing(_ excerpt: SnapshotExcerpt, notes: LackNotes? = nil) -> SnapshotReader {
    var reader = self
    reader.known = excerpt
    reader.notes = notes
    return reader
  }

  /// The summary of the snapshot, as read here.
  package var summary: SnapshotSummary { known.summary }

  package var position: Position { known.summary.position }

  package var countedLists: CountedLists { known.countedLists }

  /// Whether the snapshot has nothing to look up.
  @inline(__always)
  package var isEmpty: Bool { known.summary.position == .start }

  /// Whether there may be a record or a tombstone for an id; see ``SnapshotSummary/mayHold(_:)``.
  @inline(__always)
  func mayHold(_ id: EntityID) -> Bool { !isEmpty && summary.mayHold(id) }

  // MARK: Looking up

  /// Returns the entity as of the snapshot's position.
  package func entity(_ id: EntityID) throws(LedgerError) -> LedgerEntity? {
    guard let record = try record(id) else { return nil }
    return try decoded(record, id)
  }

  private func record(_ id: EntityID) throws(LedgerError) -> SnapshotRecord.Stored? {
    switch known[id] {
    case .record(let stored, _), .contradicted(let stored, _): return stored
    case .tombstone, .nothing: return nil
    case .damaged(let error): throw error
    case nil:
      guard !knows(id) else { return nil }
      guard let source else { throw lacking { $0.note(id) } }
      return try reading(source) { (tables) throws(LedgerError) in
        try tables.records([id])[0].get()
      }
    }
  }

  /// Returns the entity as of the snapshot's position, if all lists agree with its record: an entity that an
  /// event is about to change must not be an older version of itself, left by a lost write.
  ///
  /// - Throws: `corrupt` if the lists disagree.
  func listedEntity(_ id: EntityID) throws(LedgerError) -> LedgerEntity? {
    if case .contradicted(_, let error) = known[id] { throw error }
    guard let entity = try entity(id) else { return nil }
    if case .record(_, isChecked: true) = known[id] { return entity }
    guard let source else { throw lacking { $0.note(id) } }
    let problem = try reading(source) { (tables) throws(LedgerError) in
      try tables.listProblems(of: [entity])[0]
    }
    if let problem { throw problem }
    return entity
  }

  /// - Throws: `corrupt` if the record is damaged, or belongs to a later snapshot than this one.
  func decoded(
    _ record: SnapshotRecord.Stored, _ id: EntityID
  ) throws(LedgerError) -> LedgerEntity {
    let entity = try LedgerEntity(id, record)
    guard entity.lastPosition <= position else {
      throw SnapshotRecord.damaged(
        id, "it holds events up to position \(entity.lastPosition), which come after the snapshot")
    }
    return entity
  }

  /// Returns the entities as of the snapshot's position, in the order of the ids; all in one read.
  package func entities(
    _ ids: some Collection<EntityID>
  ) throws(LedgerError) -> [LedgerEntity?] {
    var entities: [LedgerEntity?] = []
    for (id, record) in zip(ids, try records(ids)) {
      entities.append(
        try record.map { (record) throws(LedgerError) in try decoded(record, id) })
    }
    return entities
  }

  /// Returns the kinds and contents of records, in the order of the ids; all in one read.
  package func records(
    _ ids: some Collection<EntityID>
  ) throws(LedgerError) -> [SnapshotRecord.Stored?] {
    var records: [SnapshotRecord.Stored?] = []
    records.reserveCapacity(ids.count)
    if ids.allSatisfy({ knows($0) }) {
      for id in ids { records.append(try record(id)) }
      return records
    }
    guard let source else {
      throw lacking { (notes) in
        for id in ids where !knows(id) { notes.note(id) }
      }
    }
    try reading(source) { (tables) throws(LedgerError) in
      for record in try tables.records(ids) { records.append(try record.get()) }
    }
    return records
  }

  /// Returns at most `limit` ids of records, starting at `first`, in order.
  package func ids(from first: EntityID, limit: Int) throws(LedgerError) -> [EntityID] {
    guard let source = try sourceOfAll else { return [] }
    return try reading(source) { (tables) throws(LedgerError) in
      var ids: [EntityID] = []
      try tables.scan(.entities, from: SnapshotRecord.key(first)) {
        (key, _) throws(LedgerError) in
        guard ids.count < limit else { return false }
        let id = try SnapshotRecord.id(ofKey: key)
        // Otherwise, a caller that continues after the last id would loop forever.
        guard ids.last.map({ $0 < id }) ?? (id >= first) else {
          throw SnapshotRecord.damaged(id, "it is not in the order of ids")
        }
        ids.append(id)
        return true
      }
      return ids
    }
  }

  /// Whether the record of a keyed entity was removed.
  package func isTombstone(_ id: EntityID) throws(LedgerError) -> Bool {
    switch known[id] {
    case .tombstone: return true
    case .nothing, .record, .contradicted: return false
    case .damaged(let error): throw error
    case nil:
      guard !knows(id) else { return false }
      guard let source else { throw lacking { $0.note(id) } }
      return try reading(source) { (tables) throws(LedgerError) in
        try tables.areTombstones([id])[0].get()
      }
    }
  }

  // MARK: Reading back

  /// Returns the first change that the tables do not contain; all in one read.
  package func firstMissing(
    of changes: ArraySlice<TableChange>
  ) throws(LedgerError) -> TableChange? {
    guard let source = try sourceOfAll else { return nil }
    let shown = try reading(source) { (tables) throws(LedgerError) in try tables.show(changes) }
    return shown.firstIndex(of: false).map { changes[changes.startIndex + $0] }
  }

  /// The source from which the whole snapshot can be read; `nil` if there is none.
  var sourceOfAll: (any SnapshotSource & Sendable)? {
    get throws(LedgerError) {
      guard source != nil || isEmpty else { throw .lacking }
      return isEmpty ? nil : source
    }
  }

  /// Reads from a source, and checks that its snapshot is at the expected position.
  func reading<R>(
    _ source: any SnapshotSource & Sendable,
    _ body: (any SnapshotTables) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try source.readSnapshot { (tables) throws(LedgerError) in
      guard try tables.snapshotPosition() == position else { throw .snapshotMoved }
      return try body(tables)
    }
  }

  /// Notes a missing item.
  func lacking(_ note: (LackNotes) -> Void) -> LedgerError {
    if let notes { note(notes) }
    return .lacking
  }

  /// Whether a look-up would succeed without a source.
  ///
  /// - Parameter checked: Whether the lists must have been compared with the record.
  func knows(_ id: EntityID, checked: Bool = false) -> Bool {
    guard mayHold(id) else { return true }
    if checked, case .record(_, isChecked: false) = known[id] { return false }
    return known[id] != nil
  }

  /// Whether a page of a list was read.
  func knows(_ page: SnapshotNeeds.Page, of list: OpenList) -> Bool {
    known[list]?.answers(page.key) ?? false
  }
}

extension LedgerError {
  /// The error for a state that lacks a part of the snapshot; the part must be read, and the look-up
  /// repeated.
  package static var lacking: LedgerError {
    LedgerError(
      .internalInconsistency,
      "A part of the snapshot that a lookup needs was not loaded. Nothing was written; please report this."
    )
  }
}
