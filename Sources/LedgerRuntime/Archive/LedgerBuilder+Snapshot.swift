extension LedgerBuilder {
  /// Adds the record of an entity.
  package mutating func put(_ entity: LedgerEntity) throws(LedgerError) {
    try edit.put(entity, replacing: nil)
    try writeEditIfLarge()
  }

  /// Adds the tombstone of an entity.
  package mutating func putTombstone(_ id: EntityID) throws(LedgerError) {
    edit.putTombstone(id)
    try writeEditIfLarge()
  }

  /// Adds an attachment that a record owns, of an event that the log does not contain.
  package mutating func put(_ attachment: [UInt8], at position: Position) throws(LedgerError) {
    edit.add([TableChange(attachment, at: position)])
    editAttachmentByteCount += attachment.count
    try writeEditIfLarge()
  }

  /// Writes the position of the snapshot.
  ///
  /// - Throws: `corrupt` if the records do not match the snapshot, or it is not a readable snapshot.
  mutating func finishSnapshot(
    _ snapshot: ArchivedSnapshot, of header: ArchiveHeader, line: Int
  ) throws(LedgerError) {
    try writeEdit()
    guard try !hasTombstoneOfRecord() else {
      throw .archive(line: line, .damaged("a tombstone before it has the id of a record"))
    }
    var summary = edit.new
    guard summary.stateDigest == snapshot.stateDigest else {
      throw .archive(line: line, .damaged("its state digest does not match the records"))
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
      throw .archive(line: line, .damaged("its snapshot is impossible: \(error.message)"))
    }
    try construction.put([TableChange(.meta, key, record)])
  }

  private func hasTombstoneOfRecord() throws(LedgerError) -> Bool {
    try construction.source.readSnapshot { (tables) throws(LedgerError) in
      var last: [UInt8]?
      while true {
        let keys = try tables.entries(
          of: .tombstones, after: last, limit: SnapshotReader.sliceCount
        ).map(\.key)
        guard !keys.isEmpty else { return false }
        if try tables.values(forKeys: keys, in: .entities).contains(where: { $0 != nil }) {
          return true
        }
        last = keys.last
      }
    }
  }

  private mutating func writeEditIfLarge() throws(LedgerError) {
    if edit.changeCount >= Self.groupChangeCount
      || editAttachmentByteCount >= Self.groupAttachmentByteCount
    {
      try writeEdit()
    }
  }

  private mutating func writeEdit() throws(LedgerError) {
    try construction.put(edit.takeSortedChanges())
    editAttachmentByteCount = 0
  }
}

extension LedgerBuilder {
  /// Writes the position of a snapshot that consists of the added records, which may be only a part of the
  /// original ones.
  ///
  /// - Parameters:
  ///   - original: The summary of the original snapshot; its counts and its state digest are not used.
  ///   - base: The digest at the last event that the new ledger leaves out.
  package mutating func finishSnapshot(
    as original: SnapshotSummary, of metadata: LedgerMetadata, after base: LogDigest
  ) throws(LedgerError) {
    var snapshot = ArchivedSnapshot(original)
    snapshot.stateDigest = edit.new.stateDigest
    let header = ArchiveHeader(
      ledgerID: metadata.ledgerID, createdAt: metadata.createdAt, base: base)
    try finishSnapshot(snapshot, of: header, line: 0)
  }
}
