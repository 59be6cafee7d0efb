import LedgerModel
import LedgerPostgreSQL
import Synchronization

/// An advisory lock of the server, which its connection holds.
final class AdvisoryLock: CompactionHold {
  private let connection: Mutex<Connection?>

  init(_ connection: Connection) {
    self.connection = Mutex(connection)
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
