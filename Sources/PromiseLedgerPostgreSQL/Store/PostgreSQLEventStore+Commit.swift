import LedgerModel
import LedgerPostgreSQL
import LedgerSystem
import Synchronization

extension PostgreSQLEventStore {
  /// A commit that has begun.
  struct Turn {
    let start: Duration
    /// The end of the waits for others, which rises by the time that it takes to find out what became of a commit.
    var deadline: Duration
    let patience: Patience
    var isInterrupted = false
    /// The end of the log, if this store wrote it and nothing newer was seen: no lock is needed then.
    var own: LogRow?
    /// The transaction that has locked the row; `nil` without one, and once it ended.
    var lock: RowLock?

    /// How long a commit goes on after something more urgent came up: almost any is done by then.
    private static let grace = Duration.milliseconds(250)

    /// Whether even a commit that waits for its standby must end.
    var commitIsOver: Bool { isOver(since: start) }

    /// Whether a commit that began at a time must end, or the search for its outcome.
    func isOver(since start: Duration) -> Bool {
      if patience.limitsCommit { return MonotonicClock.now >= deadline }
      return MonotonicClock.now >= start + Self.grace && patience.isOver()
    }
  }

  /// A transaction that has locked the row of the ledger.
  struct RowLock {
    let connection: Connection
    let row: LogRow
  }

  /// Begins without the server if the newest event that is known is this store's own. If another writer was
  /// faster after all, appending finds out, and takes the lock.
  func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn {
    let now = MonotonicClock.now
    var turn = Turn(start: now, deadline: now + patience.timeout, patience: patience)
    turn.own = state.withLock { $0.own }
    if turn.own == nil { turn.lock = try lockRow(turn, until: patience.isOver) }
    writer.withLock { $0 = turn }
    guard let row = turn.own ?? turn.lock?.row else { throw .storeClosed }
    return CommitTurn(head: row.head, row.commit, room: .unlimited)
  }

  func endCommit() {
    let turn = writer.withLock { turn in
      defer { turn = nil }
      return turn
    }
    if let connection = turn?.lock?.connection { pool.giveBackRolledBack(connection) }
  }

  func append(
    _ batch: EventBatch, _ commit: CommitID, after base: Position
  ) throws(LedgerError) -> AppendOutcome {
    guard let turn = writer.withLock({ $0 }) else { throw .storeClosed }
    guard batch.byteCount <= place.largestCommitByteCount else {
      throw .commitTooLarge(batch.byteCount, place.largestCommitByteCount)
    }
    var outcome: AppendOutcome?
    if let own = turn.own, own.head == base {
      outcome = try appendAlone(batch, commit, after: own, turn)
    }
    if outcome == nil {
      outcome = try append(batch, commit, after: base, lock(of: turn, after: base), turn)
    }
    guard let outcome else { throw .storeClosed }
    if case .appended = outcome, place.tellsOfCommits {
      // This session's listener sleeps until the next deadline that it knows.
      hub.announceCommit(to: sql.number, sparing: batch.needsDeadlineCheck ? nil : changes)
    }
    return outcome
  }

  /// Looks at the row even if it is locked: while this process was stopped, the server may have ended the
  /// transaction that locked it.
  func newerHead(than base: Position) throws(LedgerError) -> Position? {
    let row = try begun(endsAtOnce: true) { (view, _) throws(LedgerError) in view.row }
    guard row.isOpen else { throw .sealedLedger }
    guard row.head >= base else { throw .vanished(after: row.head, known: base) }
    return row.head == base ? nil : row.head
  }

  // MARK: Alone

  /// Appends in one round trip, if the log still ends with the event that this store wrote.
  ///
  /// - Returns: `nil` if it does not, or if the connection cannot be used for that.
  private func appendAlone(
    _ batch: EventBatch, _ commit: CommitID, after own: LogRow, _ turn: Turn
  ) throws(LedgerError) -> AppendOutcome? {
    writer.withLock { $0?.own = nil }
    // The lock is waited for, also until the server is back.
    guard let connection = try? pool.borrow() else { return nil }
    let statements = [
      LedgerSQL.limitLockWaits(to: turn.deadline - MonotonicClock.now),
      sql.append(AppendedFrames(batch, commit, after: own)),
    ]
    let isOver = { self.isInterrupted() || turn.commitIsOver }
    switch write(statements, on: connection, until: isOver) {
    case .written(let results):
      let isAppended = results[1].count > 0
      if isAppended { noteOwn(try? LogRow(results[1])) } else { forgetOwn() }
      return isAppended ? .appended(through: own.head.advanced(by: batch.count)) : nil
    // The error rolled everything back. The lock is taken on another connection, with statements of its own.
    case .notWritten(let error) where error.isAboutPreparedStatements: return nil
    case .notWritten(let error): throw commitError(error, turn, isOver: isOver)
    case .unknown(let cause): return try judge(commit, batch, after: own.head, turn, cause)
    }
  }

  private func isInterrupted() -> Bool { writer.withLock { $0?.isInterrupted ?? true } }

  // MARK: Among others

  /// The lock of a turn. It is taken anew after a commit whose connection was lost and that was not written.
  ///
  /// If events after the locked row are known, the server ended the transaction, and others wrote since.
  private func lock(of turn: Turn, after base: Position) throws(LedgerError) -> RowLock {
    if let lock = turn.lock {
      if lock.row.head >= base { return lock }
      writer.withLock { $0?.lock = nil }
      pool.giveBackRolledBack(lock.connection)
    }
    return try lockRow(turn, until: isInterrupted)
  }

  /// Locks the row of the ledger, within the time of a turn.
  private func lockRow(
    _ turn: Turn, until isOver: () -> Bool
  ) throws(LedgerError) -> RowLock {
    let known = state.withLock { $0.seen }
    return try withoutActuallyEscaping(isOver) { (isOver) throws(LedgerError) in
      try pool.retryingOnce(after: [.historyChanged]) { () throws(LedgerError) in
        let lock = try retrying(until: turn.deadline, or: isOver) { () throws(LedgerError) in
          try tryToLockRow(turn, until: isOver)
        }
        return try checked(lock, after: known)
      }
    }
  }

  private func checked(_ lock: RowLock, after known: LogEnd?) throws(LedgerError) -> RowLock {
    do throws(LedgerError) {
      try noteSeen(lock.row, after: known)
      guard lock.row.isOpen else { throw .sealedLedger }
      return lock
    } catch {
      pool.giveBackRolledBack(lock.connection)
      throw error
    }
  }

  private func tryToLockRow(
    _ turn: Turn, until isOver: @escaping () -> Bool
  ) throws(LedgerError) -> RowLock {
    let connection = try pool.borrow()
    let statements = [
      LedgerSQL.begin, LedgerSQL.limitLockWaits(to: turn.deadline - MonotonicClock.now),
      sql.lockedRow,
    ]
    do throws(PostgreSQLError) {
      let rows = try connection.run(statements, until: isOver).rows[2]
      if rows.count == 1 { return RowLock(connection: connection, row: try LogRow(rows)) }
    } catch {
      pool.giveBackRolledBack(connection)
      throw commitError(error, turn, isOver: isOver)
    }
    pool.giveBackRolledBack(connection)
    throw .ledgerRemoved
  }

  /// The meaning of an error before which nothing was written.
  private func commitError(
    _ error: PostgreSQLError, _ turn: Turn, isOver: () -> Bool
  ) -> LedgerError {
    switch error.state {
    case .queryCanceled? where isOver(): .interrupted
    case .lockNotAvailable?: .rowHeld(turn.patience.waitInAll, cause: error)
    default: LedgerError(error, in: sql.names)
    }
  }

  private func append(
    _ batch: EventBatch, _ commit: CommitID, after base: Position, _ lock: RowLock, _ turn: Turn
  ) throws(LedgerError) -> AppendOutcome {
    let row = lock.row
    guard row.head == base else {
      // The row stays locked, so that the next decision is not in vain.
      writer.withLock { $0?.lock = lock }
      guard row.head > base else { throw .vanished(after: row.head, known: base) }
      return .headMoved(to: row.head)
    }
    // The transaction ends now, one way or another.
    writer.withLock { $0?.lock = nil }
    let statements = [
      sql.append(AppendedFrames(batch, commit, after: row)), LedgerSQL.commit,
    ]
    let isOver = { self.isInterrupted() || turn.commitIsOver }
    switch write(statements, on: lock.connection, until: isOver) {
    case .written(let results):
      guard results[0].count > 0 else {
        throw LedgerError(
          .internalInconsistency, "The locked row of the ledger changed. Nothing was written.")
      }
      noteOwn(try? LogRow(results[0]))
      return .appended(through: base.advanced(by: batch.count))
    case .notWritten(let error): throw commitError(error, turn, isOver: isOver)
    case .unknown(let cause): return try judge(commit, batch, after: base, turn, cause)
    }
  }

  // MARK: Outcomes

  /// What became of statements that write.
  private enum WriteOutcome {
    case written([Rows])
    case notWritten(PostgreSQLError)
    /// The connection was lost, or the server did not wait for its standby.
    case unknown(PostgreSQLError?)
  }

  /// Runs the statements that end a transaction, and gives the connection back.
  private func write(
    _ statements: [Statement], on connection: Connection, until isOver: (() -> Bool)? = nil
  ) -> WriteOutcome {
    do throws(PostgreSQLError) {
      let (rows, notices) = try connection.run(statements, until: isOver)
      pool.giveBack(connection)
      return notices.contains(where: \.isAboutDurability) ? .unknown(nil) : .written(rows)
    } catch {
      pool.giveBackRolledBack(connection)
      // Another host may be the primary by now.
      if error.asksForReconnection { pool.noteLoss() }
      return error.mayHaveTakenEffect ? .unknown(error) : .notWritten(error)
    }
  }

  /// The pause between two attempts to reach the server.
  private static let reconnectionPause = Duration.milliseconds(100)

  /// Finds out whether a commit was written, on a new connection.
  ///
  /// The epoch is raised first: packets that are still on their way could otherwise write the commit after it was
  /// not found. If the lost transaction has locked the row, this waits for its end. And it is a commit of its own,
  /// so what is found after it is as durable as any commit.
  ///
  /// - Returns: The end of the commit; `headMoved` if it was not written and never will be.
  private func judge(
    _ commit: CommitID, _ batch: EventBatch, after base: Position, _ turn: Turn,
    _ cause: PostgreSQLError?
  ) throws(LedgerError) -> AppendOutcome {
    pool.noteLoss()
    forgetOwn()
    let start = MonotonicClock.now
    let deadline = start + place.reconnectionPatience
    let isOver = { MonotonicClock.now >= deadline || turn.isOver(since: start) }
    do throws(LedgerError) {
      let outcome = try retrying(until: deadline, or: isOver) { () throws(LedgerError) in
        try judged(commit, batch, after: base, until: deadline, or: isOver)
      }
      // No other writer was waited for meanwhile. A session that leaves has no more time nevertheless.
      if !turn.patience.limitsCommit {
        writer.withLock { $0?.deadline += MonotonicClock.now - start }
      }
      return outcome
    } catch {
      guard error.code != .historyChanged else { throw error }
      throw .outcomeUnknown(cause: error.cause ?? cause ?? error)
    }
  }

  /// Runs `body` again and again while the server cannot be reached, until a time.
  private func retrying<R>(
    until deadline: Duration, or isOver: () -> Bool = { false },
    _ body: () throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    let pause = WakeSemaphore()
    while true {
      do throws(LedgerError) {
        return try body()
      } catch {
        guard error.code == .unavailable, MonotonicClock.now < deadline, !isOver() else {
          throw error
        }
        // Connections of before a restart of the server are lost, too.
        pool.noteLoss(error)
        _ = pause.wait(timeout: Self.reconnectionPause)
      }
    }
  }

  private func judged(
    _ commit: CommitID, _ batch: EventBatch, after base: Position, until deadline: Duration,
    or isOver: @escaping () -> Bool
  ) throws(LedgerError) -> AppendOutcome {
    let known = state.withLock { $0.seen }
    let connection = try pool.connect()
    let wait = LedgerSQL.limitLockWaits(to: deadline - MonotonicClock.now)
    let (results, notices) = try LedgerError.onServer(sql.names) { () throws(PostgreSQLError) in
      // Its standby may be the one that the lost commit waited for.
      try connection.run([wait, sql.raisedEpoch], until: isOver)
    }
    guard !notices.contains(where: \.isAboutDurability) else {
      throw .outcomeUnknown(cause: nil)
    }
    let stored = try LedgerError.onServer(sql.names) { () throws(PostgreSQLError) in
      try LogRow(results[1])
    }
    let view = try PinnedView(sql, on: connection)
    let found = try view.commit(at: base.advanced(by: 1))
    _ = try view.run(LedgerSQL.commit)
    pool.giveBack(connection)
    try noteSeen(stored, after: known)
    guard found != commit else { return .appended(through: base.advanced(by: batch.count)) }
    // An event that was deleted meanwhile does not tell who wrote it.
    guard found != nil || stored.head <= base else { throw .outcomeUnknown(cause: nil) }
    return .headMoved(to: stored.head)
  }
}

extension LedgerError {
  static func commitTooLarge(_ byteCount: Int, _ limit: Int) -> LedgerError {
    LedgerError(
      .payloadTooLarge,
      "A commit would have \(byteCount) bytes, and a server takes at most \(limit) at once. Nothing was written; store large data elsewhere, and its address in the ledger."
    )
  }

  static var sealedLedger: LedgerError {
    LedgerError(
      .sealed,
      "The ledger was moved, or is being imported. Nothing was written; close the ledger, and open it where it is now."
    )
  }

  fileprivate static func rowHeld(
    _ timeout: Duration, cause: PostgreSQLError
  ) -> LedgerError {
    LedgerError(
      .writerStalled,
      "Another session holds the row of the ledger, and did not release it within \(timeout). Nothing was written; try again. The server's view pg_locks names its connection.",
      cause: cause)
  }

  fileprivate static func outcomeUnknown(cause: (any Error)?) -> LedgerError {
    LedgerError(
      .commitOutcomeUnknown,
      "The connection was lost during a commit, and the server cannot tell whether it was written. Look for the effect of the operation before you repeat it.",
      cause: cause)
  }
}
