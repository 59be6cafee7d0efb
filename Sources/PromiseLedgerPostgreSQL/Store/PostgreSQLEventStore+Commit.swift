import LedgerModel
import LedgerPostgreSQL
import LedgerSystem
import Synchronization

extension PostgreSQLEventStore {
  /// A commit that has begun.
  struct Turn {
    let deadline: Duration
    /// The time that the oldest command will have waited by then.
    let waitInAll: Duration
    var isInterrupted = false
    /// The transaction that has locked the row; `nil` once it ended.
    var lock: RowLock?
  }

  /// A transaction that has locked the row of the ledger.
  struct RowLock {
    let connection: Connection
    let row: LogRow
  }

  func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn {
    let unlocked = Turn(
      deadline: MonotonicClock.now + patience.timeout, waitInAll: patience.waitInAll)
    let lock = try lockRow(unlocked, until: patience.isOver)
    writer.withLock { turn in
      turn = unlocked
      turn?.lock = lock
    }
    return CommitTurn(head: lock.row.head, lock.row.commit, room: .unlimited)
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
    let outcome = try append(batch, commit, after: base, lock(of: turn))
    if case .appended = outcome { hub.announceCommit(to: sql.number) }
    return outcome
  }

  // MARK: The row

  /// The lock of a turn. It is taken anew after a commit whose connection was lost and that was not written.
  private func lock(of turn: Turn) throws(LedgerError) -> RowLock {
    if let lock = turn.lock { return lock }
    return try lockRow(turn) { self.writer.withLock { $0?.isInterrupted ?? true } }
  }

  /// Locks the row of the ledger, within the time of a turn.
  private func lockRow(
    _ turn: Turn, until isOver: () -> Bool
  ) throws(LedgerError) -> RowLock {
    let lock = try withoutActuallyEscaping(isOver) { (isOver) throws(LedgerError) in
      try retryingOnce { () throws(LedgerError) in try tryToLockRow(turn, until: isOver) }
    }
    noteSeen(lock.row)
    guard lock.row.isOpen else {
      pool.giveBackRolledBack(lock.connection)
      throw .sealedLedger
    }
    return lock
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
      return RowLock(connection: connection, row: try LogRow(rows))
    } catch {
      pool.giveBackRolledBack(connection)
      switch error.state {
      case .queryCanceled? where isOver(): throw .interrupted
      case .lockNotAvailable?: throw .rowHeld(turn.waitInAll, cause: error)
      default: throw LedgerError(error, in: sql.names)
      }
    }
  }

  private func append(
    _ batch: EventBatch, _ commit: CommitID, after base: Position, _ lock: RowLock
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
    let frames = AppendedFrames(batch, commit, after: row)
    switch write([sql.append(frames), sql.row, LedgerSQL.commit], on: lock.connection) {
    case .written(let results):
      noteSeen(
        try LedgerError.onServer(sql.names) { () throws(PostgreSQLError) in
          try LogRow(results[1], isWhole: true)
        })
      return .appended(through: base.advanced(by: batch.count))
    case .notWritten(let error): throw LedgerError(error, in: sql.names)
    case .unknown(let cause): return try judge(commit, batch, after: base, cause)
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
  private func write(_ statements: [Statement], on connection: Connection) -> WriteOutcome {
    do throws(PostgreSQLError) {
      let (rows, notices) = try connection.run(statements)
      pool.giveBack(connection)
      return notices.contains(where: \.isAboutDurability) ? .unknown(nil) : .written(rows)
    } catch {
      pool.giveBackRolledBack(connection)
      let isUnknown =
        error.isConnectionLost || error.phase == .decoding
        || error.state?.asksForReconnection ?? false
      return isUnknown ? .unknown(error) : .notWritten(error)
    }
  }

  /// The pause between two attempts to reach the server.
  private static let reconnectionPause = Duration.milliseconds(100)

  /// Finds out whether a commit was written, on a new connection.
  ///
  /// The epoch is raised first. This waits for the lost transaction, which has locked the row: packets that are
  /// still on their way could otherwise write the commit after it was not found. And it is a commit of its own, so
  /// what is found after it is as durable as any commit.
  ///
  /// - Returns: The end of the commit; `headMoved` if it was not written and never will be.
  private func judge(
    _ commit: CommitID, _ batch: EventBatch, after base: Position, _ cause: PostgreSQLError?
  ) throws(LedgerError) -> AppendOutcome {
    pool.noteLoss()
    let deadline = MonotonicClock.now + place.reconnectionPatience
    let pause = WakeSemaphore()
    while true {
      do throws(LedgerError) {
        return try judged(commit, batch, after: base, until: deadline)
      } catch {
        let isUnreachable = error.code == .unavailable || error.code == .writerStalled
        guard isUnreachable, MonotonicClock.now < deadline else {
          throw .outcomeUnknown(cause: error.cause ?? cause ?? error)
        }
        _ = pause.wait(timeout: Self.reconnectionPause)
      }
    }
  }

  private func judged(
    _ commit: CommitID, _ batch: EventBatch, after base: Position, until deadline: Duration
  ) throws(LedgerError) -> AppendOutcome {
    let connection = try pool.connect()
    let wait = LedgerSQL.limitLockWaits(to: deadline - MonotonicClock.now)
    let (results, notices) = try LedgerError.onServer(sql.names) { () throws(PostgreSQLError) in
      try connection.run([wait, sql.raisedEpoch])
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
    noteSeen(stored)
    guard found != commit else { return .appended(through: base.advanced(by: batch.count)) }
    // An event that was deleted meanwhile does not tell who wrote it.
    guard found != nil || stored.head <= base else { throw .outcomeUnknown(cause: nil) }
    return .headMoved(to: stored.head)
  }
}

extension Notice {
  /// Whether the server stopped waiting for its standby, so that the commit is only on its own disk.
  fileprivate var isAboutDurability: Bool { state == .warning || state.asksForReconnection }
}

extension LedgerError {
  fileprivate static var sealedLedger: LedgerError {
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
