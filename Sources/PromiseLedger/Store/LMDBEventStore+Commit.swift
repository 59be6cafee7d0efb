import LedgerLMDB
import LedgerSystem

extension LMDBEventStore {
  package func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn {
    try passGate(patience)
    options.hooks.gatePassed?()
    do {
      // The environment is in panic only if an earlier commit of another session of this process failed.
      if try environment.isPanicked { try reopen() }
      let end = try readUnlessSealed { view in try view.end() } ?? endOfWritableFiles()
      return CommitTurn(head: end.position, end.commit, room: try commitRoom(environment))
    } catch {
      gate.leave()
      throw LedgerError.mappingAll(error)
    }
  }

  private func endOfWritableFiles() throws(LedgerError) -> LogEnd {
    try LMDBLog(writableFiles().environment).pinned { view in try view.end() }
  }

  /// Returns `nil`: the gate keeps all other writers out.
  package func newerHead(than base: Position) -> Position? { nil }

  package func endCommit() { gate.leave() }

  package func append(
    _ batch: EventBatch, _ commit: CommitID, after base: Position
  ) throws(LedgerError) -> AppendOutcome {
    do {
      let outcome = try growing { environment in
        try append(batch, commit, after: base, in: environment)
      }
      if case .appended(let head) = outcome {
        options.hooks.committed?()
        // The session itself knows what it commits; its listener only waits for deadlines.
        announce(head, toOwnListener: batch.needsDeadlineCheck)
      }
      return outcome
    } catch let error as LMDBError where error.commitOutcomeIsUnknown {
      return .appended(through: try findOutcome(of: commit, after: base, error))
    } catch let error as LMDBError where error.status == .panic {
      // The panic occurred in between; the next commit finds the environment reopened.
      try? reopen()
      throw LedgerError(error)
    } catch {
      throw LedgerError.mappingAll(error)
    }
  }

  func passGate(_ patience: Patience) throws(LedgerError) {
    let outcome = try LedgerError.system("The ledger's gate cannot be locked.") {
      () throws(SystemError) in
      try gate.pass(within: patience.timeout, isCancelled: patience.isOver)
    }
    switch outcome {
    case .passed: return
    case .interrupted: throw .interrupted
    case .stalled(let holder): throw .writerStalled(holder, patience.waitInAll)
    }
  }

  /// Writes, and enlarges the map if it is small and full; the ledger's own limit is checked first.
  func growing<R>(_ write: (Environment) throws -> R) throws -> R {
    while true {
      do {
        return try write(environment)
      } catch let error as LMDBError where error.status == .mapFull {
        let environment = try environment
        let size = try environment.info().mapSize
        guard size / 2 < options.sizeLimit else { throw error }
        try environment.grow(to: 2 * size)
      }
    }
  }

  private func append(
    _ batch: EventBatch, _ commit: CommitID, after base: Position, in environment: Environment
  ) throws -> AppendOutcome {
    let tables = LedgerTables(environment)
    guard let log = tables[.log], let meta = tables[.meta], let blob = tables[.blob] else {
      throw LedgerError.storeClosed
    }
    let agreement = try TableAgreement(tables)
    return try environment.writeDeciding { transaction in
      guard try !LMDBLog.metadata(of: transaction, meta).isSealed else { throw LedgerError.sealed }
      let end = try agreement.checkedEnd(in: transaction)
      guard end.position >= base else {
        throw LedgerError.vanished(after: end.position, known: base)
      }
      guard end.position == base else { return .abort(.headMoved(to: end.position)) }
      environment.extendFile(options.growth, for: batch.byteCount, in: transaction)
      try batch.packFrames(
        from: base.advanced(by: 1), number: end.frameNumber &+ 1, commit: commit,
        filling: PageValue.byteCount
      ) { (key, frame) throws(LMDBError) in
        try transaction.put(frame, forKey: key, in: log, append: true)
      }
      for attachment in batch.attachments {
        try Chunk.cut(attachment.bytes, of: base.advanced(by: attachment.index + 1)) {
          (key, chunk) throws(LMDBError) in
          try transaction.put(chunk.span, forKey: key.span, in: blob, append: true)
        }
      }
      options.hooks.beforeCommit?()
      return .commit(.appended(through: base.advanced(by: batch.count)))
    }
  }

  /// Determines reliably whether a commit whose meta page could not be written exists.
  ///
  /// After such a failure, LMDB refuses all work until it is reopened.
  func findOutcome(
    of commit: CommitID, after position: Position, _ cause: LMDBError
  ) throws(LedgerError) -> Position {
    var found: Position?
    do throws(LedgerError) {
      // The data read below must not come from a cache with contents that the disk lacks.
      try reopen()
      try sync()
      var last = position
      while true {
        let next = try read(after: last, limit: EventSlice.eventCount) {
          (frame) throws(LedgerError) in
          if frame.header.commit == commit { found = frame.header.lastPosition }
        }
        if next == last { break }
        last = next
      }
    } catch {
      throw LedgerError(
        .commitOutcomeUnknown,
        "The disk failed while a commit was made durable, and the ledger cannot be read again. Repair the disk, open the ledger again, and look for the effect of the operation before you repeat it.",
        cause: cause)
    }
    guard let found else {
      throw LedgerError(
        .ioFailure,
        "The disk failed while a commit was made durable; the commit was not written. Repair the disk and try again.",
        cause: cause)
    }
    announce(found)
    return found
  }

  // MARK: Size limit

  /// The room left below the limit; a commit needs about twice its bytes, and some additional pages.
  func commitRoom(_ environment: Environment) throws -> CommitRoom {
    let info = try environment.info()
    var used = info.highWaterBytes + 16 * info.pageSize
    let limit = options.sizeLimit - options.reserve
    if used + max(2 * EventBatch.largestGroupByteCount, options.roomForRunningWork) > limit {
      // Counting free pages requires a walk, so it is done only when they matter.
      used -= try environment.read { try $0.freePageCount() } * info.pageSize
    }
    return CommitRoom(
      bytes: (limit - used) / 2, bytesWithReserve: (options.sizeLimit - used) / 2,
      isScarce: used + options.roomForRunningWork > limit)
  }
}

extension LedgerError {
  /// The error for files that are no longer in use: data written to them would be lost.
  static var sealed: LedgerError {
    LedgerError(
      .sealed,
      "Another process moved the ledger to a new generation of its files. Nothing was written; close the ledger and open it again."
    )
  }

  static func writerStalled(_ holder: Int32?, _ timeout: Duration) -> LedgerError {
    let who = holder.map { "process \($0)" } ?? "another process"
    return LedgerError(
      .writerStalled,
      "The ledger's gate is held by \(who), which did not release it within \(timeout). Nothing was written; try again when that process continues, or end it."
    )
  }
}
