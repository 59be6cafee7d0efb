/// Looks up entities in the stored snapshot, below the events that are replayed.
///
/// It stands for the snapshot at one position. Every look-up is one short read that checks that the
/// snapshot still is where it was, and fails with `snapshotMoved` otherwise.
package struct SnapshotReader: Sendable {
  /// `nil` for the snapshot of a ledger that has none: every event is in the log.
  private let source: (any SnapshotSource & Sendable)?

  /// Where the snapshot stands, as it is read here.
  package let summary: SnapshotSummary

  /// What was read already.
  private var known: Preimages?

  /// The lists of this snapshot that were counted already.
  let countedLists: CountedLists

  /// The snapshot of a ledger that has none.
  package static let empty = SnapshotReader()

  private init(
    source: (any SnapshotSource & Sendable)? = nil, summary: SnapshotSummary = SnapshotSummary(),
    countedLists: CountedLists = CountedLists()
  ) {
    self.source = source
    self.summary = summary
    self.countedLists = countedLists
  }

  /// The snapshot as it is now.
  package init(_ source: any SnapshotSource & Sendable) throws(LedgerError) {
    self.init(source: source, summary: try source.snapshotSummary())
  }

  /// The same snapshot, read from elsewhere.
  package func reading(from source: any SnapshotSource & Sendable) -> SnapshotReader {
    SnapshotReader(
      source: isEmpty ? nil : source, summary: summary, countedLists: countedLists)
  }

  /// The same snapshot with records that were read already.
  func knowing(_ known: Preimages) -> SnapshotReader {
    var reader = self
    reader.known = known
    return reader
  }

  package var position: Position { summary.position }

  /// Whether there is anything to look up.
  @inline(__always)
  package var isEmpty: Bool { summary.position == .start }

  // MARK: Looking up

  package func promise(_ id: PromiseID) throws(LedgerError) -> PromiseEntity? {
    guard case .promise(let promise)? = try entity(id.entityID) else { return nil }
    return promise
  }

  package func handler(_ id: HandlerID) throws(LedgerError) -> HandlerEntity? {
    guard case .handler(let handler)? = try entity(id.entityID) else { return nil }
    return handler
  }

  package func session(_ id: SessionID) throws(LedgerError) -> SessionEntity? {
    guard case .session(let session)? = try entity(id.entityID) else { return nil }
    return session
  }

  /// The entity as of the snapshot's position.
  package func entity(_ id: EntityID) throws(LedgerError) -> LedgerEntity? {
    let record: SnapshotRecord.Stored?
    switch known?[id] {
    case .record(let stored): record = stored
    case .tombstone, .nothing: return nil
    case nil:
      guard summary.mayHold(id) else { return nil }
      record = try reading(nil) { (tables) throws(LedgerError) in try tables.record(id) }
    }
    return try record.map { (record) throws(LedgerError) in try decoded(record, id) }
  }

  /// The entity as of the snapshot's position, if all lists show it as its record does: one that an
  /// event shall change must not be an older version of itself, which a lost write left.
  ///
  /// - Throws: `corrupt` if they do not.
  func listedEntity(_ id: EntityID) throws(LedgerError) -> LedgerEntity? {
    guard summary.mayHold(id) else { return nil }
    return try reading(nil) { (tables) throws(LedgerError) in
      guard let record = try tables.record(id) else { return nil }
      let entity = try decoded(record, id)
      for entry in entity.openEntries {
        guard try tables.holds(entry.stored, forKey: entry.key, in: .open) else {
          throw SnapshotRecord.damaged(id, "the lists of the snapshot say something else")
        }
      }
      return entity
    }
  }

  /// - Throws: `corrupt` if the record is damaged, or of a later snapshot than this one.
  func decoded(
    _ record: SnapshotRecord.Stored, _ id: EntityID
  ) throws(LedgerError) -> LedgerEntity {
    let entity = try LedgerEntity(kind: record.kind, id: id, content: record.content)
    guard entity.lastPosition <= position else {
      throw SnapshotRecord.damaged(
        id, "it holds events up to position \(entity.lastPosition), which come after the snapshot")
    }
    return entity
  }

  /// The kinds and contents of records, in the order of the ids; all in one read.
  package func records(
    _ ids: some Collection<EntityID>
  ) throws(LedgerError) -> [(kind: EntityKind, content: [UInt8])?] {
    if let records = known?.records(ids) { return records }
    return try reading(ids.map { _ in nil }) { (tables) throws(LedgerError) in
      var records: [(kind: EntityKind, content: [UInt8])?] = []
      for id in ids { records.append(try tables.record(id)) }
      return records
    }
  }

  /// The ids of records from one on, in their order, at most `limit`.
  package func ids(from first: EntityID, limit: Int) throws(LedgerError) -> [EntityID] {
    try reading([]) { (tables) throws(LedgerError) in
      var ids: [EntityID] = []
      try tables.scan(.entities, from: SnapshotRecord.key(first)) {
        (key, _) throws(LedgerError) in
        guard ids.count < limit else { return false }
        let id = try SnapshotRecord.id(ofKey: key)
        // Or whoever goes on after the last one would go in circles.
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
    switch known?[id] {
    case .tombstone: return true
    case .nothing: return false
    case .record, nil: break
    }
    guard summary.mayHold(id) else { return false }
    return try reading(false) { (tables) throws(LedgerError) in try tables.hasTombstone(id) }
  }

  /// What there is of ids, in their order, and `nil` where it is damaged; all in one read.
  func preimages(
    of ids: some Collection<EntityID>
  ) throws(LedgerError) -> [Preimages.Preimage?] {
    try reading(ids.map { _ in .nothing }) { (tables) throws(LedgerError) in
      var preimages: [Preimages.Preimage?] = []
      preimages.reserveCapacity(ids.count)
      for id in ids {
        preimages.append(summary.mayHold(id) ? try tables.preimage(id) : .nothing)
      }
      return preimages
    }
  }

  // MARK: Reading back

  /// The first change that the tables do not show; all in one read.
  package func firstMissing(
    of changes: some Collection<TableChange>
  ) throws(LedgerError) -> TableChange? {
    try reading(nil) { (tables) throws(LedgerError) in
      for change in changes {
        guard try tables.holds(change.value, forKey: change.key, in: change.table) else {
          return change
        }
      }
      return nil
    }
  }

  /// Reads at the expected position, or answers for a snapshot that is not there.
  func reading<R>(
    _ nothing: @autoclosure () -> R, _ body: (any SnapshotTables) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    guard let source, !isEmpty else { return nothing() }
    return try source.readSnapshot { (tables) throws(LedgerError) in
      guard try tables.snapshotPosition() == position else { throw .snapshotMoved }
      return try body(tables)
    }
  }
}

extension SnapshotTables {
  fileprivate func preimage(_ id: EntityID) throws(LedgerError) -> Preimages.Preimage? {
    do throws(LedgerError) {
      if let record = try record(id) { return .record(record) }
      return try hasTombstone(id) ? .tombstone : .nothing
    } catch {
      guard error.code == .corrupt || error.code == .incompatibleFormat else { throw error }
      return nil
    }
  }

  fileprivate func hasTombstone(_ id: EntityID) throws(LedgerError) -> Bool {
    guard let value = try value(forKey: SnapshotRecord.key(id), in: .tombstones) else {
      return false
    }
    try SnapshotRecord.checkTombstone(value, of: id)
    return true
  }

  /// The record of an entity, checked and joined.
  package func record(
    _ id: EntityID
  ) throws(LedgerError) -> (kind: EntityKind, content: [UInt8])? {
    guard let first = try value(forKey: SnapshotRecord.key(id), in: .entities) else { return nil }
    return try SnapshotRecord.join(id, first: first) { (number) throws(LedgerError) in
      try value(forKey: SnapshotRecord.partKey(id, number), in: .parts)
    }
  }
}

extension LedgerError {
  /// The snapshot is not where it was when the look-up was prepared; never reaches a user.
  package static var snapshotMoved: LedgerError {
    LedgerError(.snapshotMoved, "The snapshot was moved on while it was read.")
  }
}
