import LedgerModel

/// Views of one ledger, each in a transaction of a connection that is borrowed meanwhile.
struct LedgerViews: ForwardingSource {
  let sql: LedgerSQL
  let pool: ConnectionPool

  func withSource<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try withView(body)
  }

  func withView<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try begun { (view, end) throws(LedgerError) in
      let result = try body(view)
      try end()
      return result
    }
  }

  /// Runs `body` on a new view. If a connection was lost before the view began, or leads to an older log, another is
  /// tried once.
  ///
  /// - Parameters:
  ///   - confirmation: Precedes the view, on the same connection.
  ///   - note: Receives the row of the ledger; an error ends the view.
  ///   - body: Receives what ends the transaction, unless it ended at once.
  func begun<R>(
    for request: ViewRequest? = nil, endsAtOnce: Bool = false,
    confirming confirmation: ReadConfirmation? = nil,
    noting note: (LogRow) throws(LedgerError) -> Void = { _ in },
    _ body: (PinnedView, _ end: () throws(LedgerError) -> Void) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    let (connection, view) = try pool.retryingOnce { () throws(LedgerError) in
      let connection = try pool.borrow()
      do throws(LedgerError) {
        try confirmation?.confirm(connection, in: sql.names)
        let view = try PinnedView(sql, on: connection, for: request, endsAtOnce: endsAtOnce)
        try note(view.row)
        return (connection, view)
      } catch {
        pool.giveBackRolledBack(connection)
        throw error
      }
    }
    do throws(LedgerError) {
      let result = try body(view) { () throws(LedgerError) in
        _ = try view.run(LedgerSQL.commit)
      }
      pool.giveBack(connection)
      return result
    } catch {
      pool.giveBackRolledBack(connection)
      throw error
    }
  }
}
