import LedgerLMDB
import LedgerSystem

extension LMDBEventStore {
  package func readSnapshot<R>(
    _ body: (any SnapshotTables) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try reading { (log) throws(LedgerError) in try log.readSnapshot(body) }
  }

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
      try growing { environment in try change(changes, from: old, to: new, environment) }
    } catch let error as LMDBError where error.commitOutcomeIsUnknown {
      try findOutcome(of: new, error)
    } catch let error as LMDBError where error.status == .panic {
      try? reopen()
      throw LedgerError(error)
    } catch {
      throw LedgerError.mapping(error)
    }
    return MonotonicClock.now - start
  }

  package func usedByteCount() throws(LedgerError) -> Int {
    let environment = try environment
    return try LedgerError.mapping {
      let info = try environment.info()
      return info.highWaterBytes
        - (try environment.read { try $0.freePageCount() }) * info.pageSize
    }
  }

  private func change(
    _ changes: [TableChange], from old: SnapshotSummary, to new: SnapshotSummary,
    _ environment: Environment
  ) throws {
    let handles = try LMDBLog.handles(environment)
    guard let meta = handles[.meta] else { throw LedgerError.storeClosed }
    let room = try commitRoom(environment).bytesWithReserve
    guard changes.reduce(0, { $0 + ($1.value?.count ?? 0) }) <= room else {
      throw LedgerError(
        .ledgerFull,
        "The ledger has reached its size limit, so its events cannot be folded. Raise the limit; nothing is lost."
      )
    }
    try environment.write { transaction in
      guard try !LMDBLog.metadata(of: transaction, meta).isSealed else { throw LedgerError.sealed }
      let key = SnapshotSummary.key
      var stored = SnapshotSummary()
      if let bytes = try transaction.value(forKey: key.span, in: meta) {
        var copy: [UInt8] = []
        copy.append(contentsOf: bytes)
        stored = try SnapshotSummary(decoding: copy)
      }
      guard stored == old else { throw LedgerError.snapshotMoved }
      for change in changes {
        guard let table = handles[change.table] else { throw LedgerError.storeClosed }
        try transaction.apply(change, table)
      }
      try transaction.put(new.encoded.span, forKey: key.span, in: meta)
      options.hooks.beforeCommit?()
    }
  }

  /// Tells truly whether a change whose meta page could not be written is there.
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
        "The disk failed while the snapshot was made durable, and the ledger cannot be read again. Mend the disk and compact again; no event was lost.",
        cause: cause)
    }
    guard stored != new else { return }
    throw LedgerError(
      .ioFailure,
      "The disk failed while the snapshot was made durable; it was not changed. Mend the disk and try again.",
      cause: cause)
  }
}

extension WriteTransaction {
  fileprivate mutating func apply(_ change: TableChange, _ table: Table) throws {
    if table.keys == .integer {
      guard change.key.count == 8, change.value == nil else {
        throw LedgerError(.internalInconsistency, "Compaction may only delete from the log.")
      }
      let position: UInt64 = change.key.span.loadLittleEndian(at: 0)
      let key = position.byteSwapped
      try deleteRange(key...key, in: table, limit: 1)
    } else if let value = change.value {
      try put(value.span, forKey: change.key.span, in: table)
    } else {
      try delete(forKey: change.key.span, in: table)
    }
  }
}
