/// Compares what an archive is written of with what the ledger's snapshot says about itself.
///
/// So no archive is finished that an import would refuse because the ledger is damaged. It keeps sums
/// only, however much there is.
struct SnapshotProof: Sendable {
  /// What the snapshot says.
  private let summary: SnapshotSummary
  /// Of the records and tombstones so far.
  private var stateDigest = StateDigest.empty

  init(_ summary: SnapshotSummary) {
    self.summary = summary
  }

  /// Takes in a record.
  ///
  /// - Returns: Its entity.
  /// - Throws: `corrupt` if it is no record of this snapshot.
  mutating func add(_ record: ArchivedRecord) throws(LedgerError) -> LedgerEntity {
    let entity = try LedgerEntity(
      type: record.type, id: record.id, content: record.content, checkedFor: summary)
    stateDigest.add(record.type, record.id, record.content)
    return entity
  }

  mutating func addTombstone(_ id: EntityID) {
    stateDigest.addTombstone(id)
  }

  /// Makes sure that all records and tombstones were there.
  func finish() throws(LedgerError) {
    guard stateDigest == summary.stateDigest else {
      throw .notProven("The records of the snapshot are not those that its state digest is of.")
    }
  }
}

extension LedgerEntity {
  /// Reads the content of a record that is to be passed on as whole.
  ///
  /// - Throws: `corrupt` if it can be no record of the snapshot.
  init(
    type: RecordType, id: EntityID, content: [UInt8], checkedFor summary: SnapshotSummary
  ) throws(LedgerError) {
    try self.init(type: type, id: id, content: content)
    guard self.content == content else {
      throw SnapshotRecord.damaged(id, "its content is not as it would be written")
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
  /// Compares it with what is known of the log, where that stands.
  func check(_ known: LogDigest) throws(LedgerError) {
    guard position == known.position, self != known else { return }
    throw .notProven(
      "The events up to position \(position) are not those that the snapshot was made of.")
  }
}

extension LedgerError {
  /// The ledger is damaged, so that an archive of it could not be read.
  static func notProven(_ what: String) -> LedgerError {
    LedgerError(
      .corrupt,
      "\(what) No archive was finished. Verify the ledger, and restore it from a copy.")
  }
}
