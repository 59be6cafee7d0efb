import LedgerModel
import LedgerPostgreSQL
import Synchronization

/// An advisory lock of the server, which its connection holds.
final class AdvisoryLock: CompactionHold {
  private let connection: Mutex<Connection?>

  init(_ connection: Connection) {
    self.connection = Mutex(connection)
  }

  /// Tries to take a lock until its connection ends, which the server then does not end for being idle.
  ///
  /// - Parameter key: The two numbers of the lock in SQL, with the values as parameters.
  static func take(
    _ key: String, _ values: [Value], on connection: Connection, in names: SchemaNames
  ) throws(LedgerError) -> Bool {
    try LedgerError.onServer(names) { () throws(PostgreSQLError) in
      try connection.run([
        Statement("SET idle_session_timeout = 0"),
        Statement("SELECT pg_try_advisory_lock(\(key))", values),
      ]).rows[1].bool(0, 0)
    }
  }

  func release() {
    // The lock ends before this returns, which it would not if only the connection ended.
    let connection = connection.withLock { connection in
      defer { connection = nil }
      return connection
    }
    _ = try? connection?.run("SELECT pg_advisory_unlock_all()")
  }
}
