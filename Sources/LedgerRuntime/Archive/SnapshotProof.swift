/// Compares the data of an archive with the summary of the ledger's snapshot.
///
/// So no archive is completed that an import would reject because the ledger is damaged. It keeps only sums,
/// so its size is constant.
struct SnapshotProof: Sendable {
  /// The snapshot's summary of itself.
  private let summary: SnapshotSummary
  /// The digest of the records and tombstones so far.
  private var stateDigest = StateDigest.empty

  init(_ summary: SnapshotSummary) {
    self.summary = summary
  }

  /// Adds a record.
  ///
  /// - Returns: Its entity.
  /// - Throws: `corrupt` if it does not belong to this snapshot.
  mutating func add(_ record: ArchivedRecord) throws(LedgerError) -> LedgerEntity {
    let entity = try LedgerEntity(
      type: record.type, id: record.id, content: record.content, checkedFor: summary)
    stateDigest.add(record.type, record.id, record.content)
    return entity
  }

  mutating func addTombstone(_ id: EntityID) {
    stateDigest.addTombstone(id)
  }

  /// Checks that no record or tombstone is missing.
  func finish() throws(LedgerError) {
    guard stateDigest == summary.stateDigest else {
      throw .notProven("The records of the snapshot do not match its state digest.")
    }
  }
}

extension LedgerEntity {
  /// Reads the content of a record before it is exported as valid.
  ///
  /// - Throws: `corrupt` if it cannot be a record of the snapshot.
  init(
    type: RecordType, id: EntityID, content: [UInt8], checkedFor summary: SnapshotSummary
  ) throws(LedgerError) {
    try self.init(type: type, id: id, content: content)
    guard self.content == content else {
      throw SnapshotRecord.damaged(id, "its content differs from what this build writes")
    }
    guard lastPosition <= summary.position else {
      throw SnapshotRecord.damaged(id, "its last event comes after the snapshot")
    }
    guard fitsItsKey else {
      throw SnapshotRecord.damaged(id, "its id does not follow from its key")
    }
  }
}

extension LogDigest {
  /// Compares it with the known digest of the log at the same position.
  func check(_ known: LogDigest) throws(LedgerError) {
    guard position == known.position, self != known else { return }
    throw .notProven(
      "The events up to position \(position) do not match the snapshot.")
  }
}

extension LedgerError {
  /// The error for a damaged ledger, whose archive could not be imported.
  static func notProven(_ what: String) -> LedgerError {
    LedgerError(
      .corrupt,
      "\(what) No archive was finished. Verify the ledger, and restore it from a copy.")
  }
}
