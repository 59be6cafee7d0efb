import LedgerBytes
import LedgerLMDB
import LedgerSystem

extension LMDBEventStore {
  package func changeSnapshot(
    _ changes: [TableChange], from old: SnapshotSummary, to new: SnapshotSummary,
    patience: Patience
  ) throws(LedgerError) -> Duration {
    try passGate(patience)
    defer { gate.leave() }
    let start = MonotonicClock.now
    options.hooks.gatePassed?()
    do {
      if try environment.isPanicked { try reopen() }
      _ = try writableFiles()
      try growing { environment in try change(changes, from: old, to: new, environment) }
      options.hooks.committed?()
    } catch let error as LMDBError where error.commitOutcomeIsUnknown {
      try findOutcome(of: new, error)
    } catch let error as LMDBError where error.status == .panic {
      try? reopen()
      throw LedgerError(error)
    } catch {
      throw LedgerError.mappingAll(error)
    }
    return MonotonicClock.now - start
  }

  package func usedByteCount() throws(LedgerError) -> Int {
    let environment = try environment
    return try LedgerError.mappingAll {
      // The free pages are counted first: the file never shrinks, but others may free further pages
      // meanwhile.
      let freePageCount = try environment.read { try $0.freePageCount() }
      let info = try environment.info()
      return info.highWaterBytes - freePageCount * info.pageSize
    }
  }

  private func change(
    _ changes: [TableChange], from old: SnapshotSummary, to new: SnapshotSummary,
    _ environment: Environment
  ) throws {
    let tables = LedgerTables(environment)
    let agreement = try TableAgreement(tables)
    guard let meta = tables[.meta] else { throw LedgerError.storeClosed }
    // Part of the reserve is kept for consuming and freezing.
    let room = try commitRoom(environment).bytesWithReserve - options.reserve / 4
    let addedByteCount = changes.reduce(0) { $0 + ($1.value?.count ?? 0) }
    guard addedByteCount == 0 || addedByteCount <= room else {
      throw LedgerError(
        .ledgerFull,
        "The ledger has reached its size limit, so its events cannot be folded. Raise the limit; nothing is lost."
      )
    }
    try environment.write { transaction in
      guard try !LMDBLog.metadata(of: transaction, meta).isSealed else { throw LedgerError.sealed }
      guard try LMDBLog.summary(of: transaction, meta) == old else {
        throw LedgerError.snapshotMoved
      }
      _ = try agreement.checkedEnd(in: transaction)
      try transaction.apply(changes, tables)
      let key = SnapshotSummary.key
      try transaction.put(new.encoded.span, forKey: key.span, in: meta)
      do {
        _ = try agreement.checkedEnd(in: transaction)
      } catch let error as LedgerError {
        // Every commit and every opening would reject the written data.
        throw LedgerError(
          error.code,
          "The snapshot was not changed, because the change would damage it. \(error.message)")
      }
      options.hooks.beforeCommit?()
    }
  }

  /// Determines reliably whether a change whose meta page could not be written exists.
  private func findOutcome(
    of new: SnapshotSummary, _ cause: LMDBError
  ) throws(LedgerError) {
    let stored: SnapshotSummary
    do throws(LedgerError) {
      try reopen()
      try sync()
      stored = try snapshotSummary()
    } catch {
      throw LedgerError(
        .commitOutcomeUnknown,
        "The disk failed while the snapshot was made durable, and the ledger cannot be read again. Repair the disk and compact again; no event was lost.",
        cause: cause)
    }
    guard stored != new else { return }
    throw LedgerError(
      .ioFailure,
      "The disk failed while the snapshot was made durable; the snapshot was not changed. Repair the disk and try again.",
      cause: cause)
  }
}

extension WriteTransaction {
  /// Applies changes in the order of tables and keys.
  fileprivate mutating func apply(_ changes: [TableChange], _ tables: LedgerTables) throws {
    var start = 0
    while start < changes.count {
      let table = changes[start].table
      let end = changes[start...].firstIndex { $0.table != table } ?? changes.count
      guard let handle = tables[table] else { throw LedgerError.storeClosed }
      // Removals come first, because their pages then have room for additions.
      for change in changes[start..<end] where change.value == nil {
        try delete(change, handle)
      }
      if handle.keys == .bytes, table != .blob {
        try putSorted(in: handle) { writer in
          for change in changes[start..<end] {
            guard let value = change.value else { continue }
            try writer.put(value.span, forKey: change.key.span)
          }
        }
      } else if changes[start..<end].contains(where: { $0.value != nil }) {
        throw LedgerError(
          .internalInconsistency, "Compaction may only delete from the table \(table.name).")
      }
      start = end
    }
  }

  private mutating func delete(_ change: TableChange, _ table: Table) throws {
    switch change.table {
    case .log:
      try delete(forKey: Position(bigEndianBytes: change.key).rawValue, in: table)
    case .blob:
      for key in try chunkKeys(of: change.key, table) { try delete(forKey: key.span, in: table) }
    case .entities, .parts, .open, .tombstones, .meta:
      try delete(forKey: change.key.span, in: table)
    }
  }

  /// The keys of all chunks of an attachment.
  private borrowing func chunkKeys(of position: [UInt8], _ table: Table) throws -> [[UInt8]] {
    var keys: [[UInt8]] = []
    try scan(table, fromKey: position.span) { key, _ in
      let key = Array(copying: key)
      guard key.starts(with: position) else { return false }
      keys.append(key)
      return true
    }
    return keys
  }
}
