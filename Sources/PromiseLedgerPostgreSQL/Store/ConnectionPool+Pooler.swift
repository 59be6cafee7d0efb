import LedgerModel
import LedgerPostgreSQL

extension ConnectionPool {
  /// The number of comparisons. One may miss a pooler that just lent a connection to another client.
  private static let comparisonCount = 8

  /// Finds out whether a pooler lends the connections of the server to each transaction anew.
  ///
  /// - Parameter connection: Outside any transaction; nothing was set on it.
  /// - Throws: `invalidArgument` if it does.
  func refuseSharing(of connection: Connection) throws(LedgerError) {
    let process = try serverProcess(of: connection)
    // A pooler tells its clients numbers of its own.
    guard process != connection.serverProcess else { return }
    let other = try open()
    for _ in 0..<Self.comparisonCount {
      let (mine, others) = (try serverProcess(of: connection), try serverProcess(of: other))
      guard mine == process, others != process else { throw .sharedConnections }
    }
  }

  /// The process of the server that runs the statements of a connection.
  private func serverProcess(of connection: Connection) throws(LedgerError) -> Int32 {
    try LedgerError.onServer(names) { () throws(PostgreSQLError) in
      // A standby refuses the strictest isolation level, which the role may have.
      try connection.run([
        LedgerSQL.begin, Statement("SELECT pg_backend_pid()"), LedgerSQL.commit,
      ]).rows[1].int4(0, 0)
    }
  }
}

extension LedgerError {
  fileprivate static var sharedConnections: LedgerError {
    LedgerError(
      .invalidArgument,
      "A pooler between this process and the server lends connections to single transactions. The settings and locks of a session would get lost, and those of others would reach it. Connect to the server itself, or let the pooler work in session mode (in PgBouncer, pool_mode = session)."
    )
  }
}
