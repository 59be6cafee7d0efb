import LedgerLMDB
import LedgerSystem

/// The events and the snapshot of a ledger in one read transaction: all reads see the same data.
///
/// It is valid only during the transaction, and only on its thread; other uses throw.
struct PinnedLog: LedgerSource {
  /// Lends the handle of a transaction to the reading functions.
  private struct Reader: TableReader {
    let raw: RawTransaction
  }

  private struct View {
    let reader: Reader
    let tables: LMDBSnapshotTables
    let log: Table
    let blob: Table
    let meta: Table
    let agreement: TableAgreement
  }

  private let confined: ThreadConfined<View>
  /// Whether another thread waits for the end of the transaction.
  private let isAwaited: @Sendable () -> Bool

  /// Runs `body` on the view of a transaction.
  ///
  /// - Parameter isAwaited: Returns `true` once reads must fail with `viewTaken`.
  static func with<R>(
    _ transaction: borrowing ReadTransaction, _ handles: LedgerTables,
    until isAwaited: @escaping @Sendable () -> Bool = { false },
    _ body: (PinnedLog) throws -> R
  ) throws -> R {
    guard let log = handles[.log], let blob = handles[.blob], let meta = handles[.meta] else {
      throw LedgerError.storeClosed
    }
    let tables = LMDBSnapshotTables(transaction, handles)
    defer { tables.end() }
    let view = View(
      reader: Reader(raw: transaction.raw), tables: tables, log: log, blob: blob, meta: meta,
      agreement: try TableAgreement(handles))
    return try body(PinnedLog(confined: ThreadConfined(view), isAwaited: isAwaited))
  }

  private func view() throws(LedgerError) -> View {
    guard let view = confined.value else {
      throw LedgerError(
        .internalInconsistency, "A transaction was read on another thread than its own.")
    }
    try view.tables.checkIsOpen()
    if isAwaited() { throw .viewTaken }
    return view
  }

  func metadata() throws(LedgerError) -> LedgerMetadata {
    let view = try view()
    return try LedgerError.mappingAll { try LMDBLog.metadata(of: view.reader, view.meta) }
  }

  /// Whether these files are sealed.
  var isSealed: Bool {
    get throws(LedgerError) {
      let view = try view()
      return LMDBLog.isSealed(view.reader, view.meta)
    }
  }

  package func head() throws(LedgerError) -> Position { try end().position }

  /// The end of the log.
  func end() throws(LedgerError) -> LogEnd {
    let view = try view()
    return try LedgerError.mappingAll { try view.agreement.checkedEnd(in: view.reader) }
  }

  package func commit(at position: Position) throws(LedgerError) -> CommitID? {
    let view = try view()
    return try LedgerError.mappingAll {
      try LMDBLog.commit(view.reader, view.log, at: position)
    }
  }

  package func read(
    after position: Position, limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) -> Position {
    let view = try view()
    return try LedgerError.mappingAll {
      try LMDBLog.scan(view.reader, view.log, view.meta, after: position, limit: limit, body)
    }
  }

  package func attachments(
    _ wanted: [AttachmentReference]
  ) throws(LedgerError) -> [Result<[UInt8], LedgerError>] {
    let view = try view()
    return wanted.map { wanted in
      Result { () throws(LedgerError) in
        try LedgerError.mappingAll {
          try LMDBLog.attachment(
            view.reader, view.blob, view.meta, of: wanted.position, wanted.byteCount)
        }
      }
    }
  }

  package func readSnapshot<R>(
    _ body: (any SnapshotTables) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try body(view().tables)
  }
}
