import LedgerLMDB

/// The events and the snapshot of a ledger in one read transaction: all reads see the same.
///
/// It is good only as long as the transaction.
struct PinnedLog: EventSource, SnapshotSource {
  /// Lends the handle of a transaction to the reading functions.
  private struct Reader: TableReader {
    let raw: RawTransaction
  }

  private let reader: Reader
  private let tables: LMDBSnapshotTables
  private let log: Table
  private let blob: Table
  private let meta: Table

  /// Runs `body` on what a transaction sees.
  static func with<R>(
    _ transaction: borrowing ReadTransaction, _ handles: [SnapshotTable: Table],
    _ body: (PinnedLog) throws -> R
  ) throws -> R {
    guard let log = handles[.log], let blob = handles[.blob], let meta = handles[.meta] else {
      throw LedgerError.storeClosed
    }
    let tables = LMDBSnapshotTables(transaction, handles)
    defer { tables.end() }
    return try body(
      PinnedLog(
        reader: Reader(raw: transaction.raw), tables: tables, log: log, blob: blob, meta: meta))
  }

  package func head() throws(LedgerError) -> Position {
    try tables.checkIsOpen()
    return try LedgerError.mapping { try LMDBLog.head(of: reader, log) }
  }

  package func read(
    after position: Position, limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) -> Position {
    try tables.checkIsOpen()
    return try LedgerError.mapping {
      try LMDBLog.scan(reader, log, meta, after: position, limit: limit, body)
    }
  }

  package func attachment(
    of position: Position, byteCount: Int
  ) throws(LedgerError) -> [UInt8] {
    try tables.checkIsOpen()
    return try LedgerError.mapping {
      try LMDBLog.attachment(reader, blob, meta, of: position, byteCount)
    }
  }

  package func readSnapshot<R>(
    _ body: (any SnapshotTables) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try body(tables)
  }
}
