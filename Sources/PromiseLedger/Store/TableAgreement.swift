import LedgerLMDB

/// The end of a ledger's log.
struct LogEnd: Sendable, Hashable {
  /// The last event; 0 if there is none.
  var position = Position.start
  /// The number of the last frame; 0 if there is none.
  var frameNumber: UInt32 = 0
  /// The commit that the last frame belongs to.
  var commit: CommitID?
}

/// A comparison, in O(1), of redundant facts that a ledger stores in several places.
///
/// LMDB has no checksums of pages: a disk that lost a write shows an older version of a page, complete and
/// with our checksums valid, in which the newest events are missing. The number of frames that LMDB counts
/// then differs from the numbers that the first and the last frame carry, or the log does not reach the
/// snapshot. Without this check the events would vanish, and new ones would take their positions.
struct TableAgreement {
  private let tables: LedgerTables
  private let meta: Table
  private let log: Table

  /// - Throws: `closed` if the environment lacks the tables of a ledger.
  init(_ tables: LedgerTables) throws(LedgerError) {
    guard let meta = tables[.meta], let log = tables[.log] else { throw .storeClosed }
    self.tables = tables
    self.meta = meta
    self.log = log
  }

  /// The end of the log, if everything agrees.
  ///
  /// - Throws: `corrupt` if there are too few or too many events or records.
  func checkedEnd<Reader: TableReader & ~Copyable>(
    in transaction: borrowing Reader
  ) throws -> LogEnd {
    let summary = try LMDBLog.summary(of: transaction, meta)
    let end = try Self.logEnd(of: transaction, log, deletedThrough: summary.deletedThrough)
    guard end.position >= summary.position else {
      throw Self.disagreement(
        "the last event has position \(end.position), but the snapshot is at position \(summary.position)"
      )
    }
    for table in SnapshotSummary.Counts.tables {
      let count = try tables[table].map { (table) throws in try transaction.count(of: table) }
      try summary.counts.check(count ?? 0, of: table)
    }
    return end
  }

  /// The end of the log, if its frames agree with what LMDB counts, and with the position up to which
  /// events were deleted.
  static func logEnd<Reader: TableReader & ~Copyable>(
    of transaction: borrowing Reader, _ log: Table, deletedThrough: Position
  ) throws -> LogEnd {
    let count = try transaction.count(of: log)
    guard let last = try transaction.lastEntry(in: log) else {
      guard count == 0, deletedThrough == .start else {
        throw disagreement("the log is empty, but it should end after position \(deletedThrough)")
      }
      return LogEnd()
    }
    let lastHeader = try FrameView(checking: last.value, key: last.key).header
    guard let first = try transaction.firstEntry(in: log) else {
      throw disagreement("the log has an end but no beginning")
    }
    let firstHeader =
      first.key == last.key
      ? lastHeader : try FrameView(checking: first.value, key: first.key).header
    guard firstHeader.firstPosition == deletedThrough.advanced(by: 1) else {
      throw disagreement(
        "the first event has position \(firstHeader.firstPosition), but events up to position \(deletedThrough) were deleted"
      )
    }
    let numbered = lastHeader.number &- firstHeader.number &+ 1
    guard numbered == UInt32(truncatingIfNeeded: count),
      lastHeader.lastPosition >= firstHeader.lastPosition
    else {
      throw disagreement(
        "the log holds \(count) frames, the first has number \(firstHeader.number) and the last \(lastHeader.number)"
      )
    }
    return LogEnd(
      position: lastHeader.lastPosition, frameNumber: lastHeader.number, commit: lastHeader.commit)
  }

  static func disagreement(_ what: String) -> LedgerError {
    LedgerError(
      .corrupt,
      "The ledger contradicts itself: \(what). Restore it from a copy; `promise-ledger log` shows the events that can still be read."
    )
  }
}
