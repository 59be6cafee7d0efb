import LedgerLMDB

extension LedgerBuilder {
  /// Adds the record of an entity.
  mutating func put(_ entity: LedgerEntity) throws(LedgerError) {
    try edit.put(entity, replacing: nil)
    try writeEditIfLarge()
  }

  /// Adds the tombstone of an entity.
  mutating func putTombstone(_ id: EntityID) throws(LedgerError) {
    edit.putTombstone(id)
    try writeEditIfLarge()
  }

  /// Adds what a record owns of an event that is not there.
  mutating func put(_ attachment: [UInt8], at position: Position) throws(LedgerError) {
    var chunks: [TableChange] = []
    Chunk.cut(attachment, of: position) { key, chunk in
      chunks.append(TableChange(.blob, key, chunk))
    }
    edit.add(chunks)
    try writeEditIfLarge()
  }

  /// Writes where the snapshot stands.
  ///
  /// - Throws: `corrupt` if the records are not those of the snapshot, or it is none that can be read.
  mutating func finishSnapshot(
    _ snapshot: ArchivedSnapshot, of header: ArchiveHeader, line: Int
  ) throws(LedgerError) {
    try writeEdit()
    guard try !hasTombstoneOfRecord() else {
      throw .archive(line: line, .damaged("a tombstone before it has the id of a record"))
    }
    var summary = edit.new
    guard summary.stateDigest == snapshot.stateDigest else {
      throw .archive(line: line, .damaged("its state digest is not that of the records"))
    }
    summary.position = snapshot.log.position
    summary.time = snapshot.time
    summary.ledgerID = header.ledgerID
    summary.logDigest = snapshot.log
    summary.horizon = snapshot.horizon
    summary.deletedLog = header.base
    summary.readBackThrough = summary.position
    let (record, key) = (summary.encoded, SnapshotSummary.key)
    do throws(LedgerError) {
      _ = try SnapshotSummary(decoding: record)
    } catch {
      throw .archive(line: line, .damaged("its snapshot cannot be: \(error.message)"))
    }
    try LedgerError.mapping {
      let meta = try environment.table(named: "meta")
      try environment.write { transaction in
        try transaction.put(record.span, forKey: key.span, in: meta)
      }
    }
  }

  private func hasTombstoneOfRecord() throws(LedgerError) -> Bool {
    try LedgerError.mapping {
      let records = try environment.table(named: SnapshotTable.entities.name)
      let tombstones = try environment.table(named: SnapshotTable.tombstones.name)
      return try environment.read { transaction in
        var isFound = false
        try transaction.scan(tombstones, fromKey: [0].span) { key, _ in
          isFound = try transaction.value(forKey: key, in: records) != nil
          return !isFound
        }
        return isFound
      }
    }
  }

  private mutating func writeEditIfLarge() throws(LedgerError) {
    if edit.changeCount >= Self.groupChangeCount { try writeEdit() }
  }

  private mutating func writeEdit() throws(LedgerError) {
    let changes = edit.takeSortedChanges()
    try LedgerError.mapping {
      try environment.write { transaction in
        for change in changes {
          guard let value = change.value else { continue }
          let table = try environment.table(named: change.table.name)
          try transaction.put(value.span, forKey: change.key.span, in: table)
        }
      }
    }
  }
}
