import LedgerModel
import LedgerPostgreSQL
import LedgerSystem

extension PostgreSQLEventStore {
  /// Commits go on meanwhile: only the row of the snapshot is locked, and every view is of one moment.
  func changeSnapshot(
    _ changes: [TableChange], from old: SnapshotSummary, to new: SnapshotSummary,
    patience: Patience
  ) throws(LedgerError) -> Duration {
    let connection = try lockSnapshot(old, patience)
    do throws(PostgreSQLError) {
      let statements =
        sql.statements(for: changes) + [
          sql.setSummary(new), LedgerSQL.commit,
        ]
      _ = try connection.run(statements)
      pool.giveBack(connection)
      return .zero
    } catch {
      pool.giveBackRolledBack(connection)
      guard error.mayHaveTakenEffect else { throw LedgerError(error, in: sql.names) }
      pool.noteLoss()
      try findOutcome(of: new, old, error)
      return .zero
    }
  }

  /// Begins a transaction that has locked the snapshot, if it has the expected summary.
  private func lockSnapshot(
    _ old: SnapshotSummary, _ patience: Patience
  ) throws(LedgerError) -> Connection {
    let connection = try pool.borrow()
    do throws(LedgerError) {
      let stored = try LedgerError.onServer(sql.names) {
        () throws(PostgreSQLError) -> (rows: Rows, isOpen: Bool) in
        let rows = try connection.run([
          LedgerSQL.begin, LedgerSQL.limitLockWaits(to: patience.timeout), sql.lockedSummary,
        ]).rows[2]
        return (rows, isOpen: rows.count == 0 ? true : try rows.bool(0, 1))
      }
      guard stored.isOpen else { throw .sealedLedger }
      guard try stored.rows.storedSummary() == old else { throw .snapshotMoved }
    } catch {
      pool.giveBackRolledBack(connection)
      throw error
    }
    return connection
  }

  /// Finds out whether a change was made whose connection was lost. The row lock makes this wait for the end of
  /// the lost transaction.
  private func findOutcome(
    of new: SnapshotSummary, _ old: SnapshotSummary, _ cause: PostgreSQLError
  ) throws(LedgerError) {
    let connection: Connection
    do throws(LedgerError) {
      connection = try lockSnapshot(new, Patience(place.reconnectionPatience))
    } catch {
      guard error.lookAgain == .snapshotMoved else {
        throw LedgerError(
          .commitOutcomeUnknown,
          "The connection was lost while the snapshot was changed. Compact again; no event was lost.",
          cause: cause)
      }
      throw LedgerError(cause, in: sql.names)
    }
    pool.giveBackRolledBack(connection)
  }
}

extension Rows {
  /// The summary in the first column; that of an empty snapshot if there is none.
  fileprivate func storedSummary() throws(LedgerError) -> SnapshotSummary {
    guard count == 1 else { throw .ledgerRemoved }
    return isNull(0, 0) ? SnapshotSummary() : try SnapshotSummary(decoding: bytes(0, 0))
  }
}

extension LedgerSQL {
  /// The statements that make changes: one or two for each run of changes to one table.
  func statements(for changes: [TableChange]) -> [Statement] {
    var statements: [Statement] = []
    var rest = changes[...]
    while let table = rest.first?.table {
      let run = rest.prefix { $0.table == table }
      rest = rest.dropFirst(run.count)
      let gone = run.filter { $0.value == nil }.map(\.key)
      let put = run.compactMap { change in change.value.map { (key: change.key, value: $0) } }
      if let table = RecordTable(table) {
        if !gone.isEmpty { statements.append(deleteRecords(gone, in: table)) }
        if !put.isEmpty { statements.append(putRecords(put, in: table)) }
        continue
      }
      let positions = gone.map(Position.init(bigEndianBytes:))
      guard !positions.isEmpty else { continue }
      statements.append(
        table == .log ? deleteFrames(at: positions) : deleteAttachments(at: positions))
    }
    return statements
  }
}
