import LedgerModel
import LedgerPostgreSQL

/// The meaning of failures to connect, before which no statement was sent.
extension LedgerError {
  /// The meaning of a refused connection; `nil` if nothing more is known than that there is none.
  static func meaningOfRefusal(_ error: PostgreSQLError) -> (Code, String)? {
    error.refusal.map(meaning(of:)) ?? error.state.flatMap(meaningWhileConnecting(_:))
  }

  private static func meaning(of refusal: ConnectionRefusal) -> (Code, String) {
    switch refusal {
    case .missingPassword:
      (
        .permissionDenied,
        "The server asks for a password, and there is none. Add it to the password file, or set PGPASSWORD."
      )
    case .noTLS:
      (
        .unavailable,
        "TLS with the server failed: it offers none, or its certificate is not accepted. Nothing was written; turn on ssl on the server and name its root certificate with sslrootcert, or choose a weaker sslmode."
      )
    case .readOnly: readOnlyServer
    case .oldServer:
      (
        .unavailable,
        "The server is too old. Nothing was written; update it to PostgreSQL 14 or newer, or connect to another one."
      )
    }
  }

  /// The meaning of a server that accepts no writes.
  static let readOnlyServer: (Code, String) = (
    .unavailable,
    "The server is a standby or read-only. Nothing was written; name the host of the primary, or set default_transaction_read_only to off for the role and the database."
  )

  private static func meaningWhileConnecting(_ state: SQLState) -> (Code, String)? {
    switch state {
    case .wrongPassword:
      (
        .permissionDenied,
        "The server refused the password of the role. Check the connection string, the password file and PGPASSWORD."
      )
    case _ where state.errorClass == "28":
      (
        .permissionDenied,
        "The server refused the role: it does not exist, may not log in, or pg_hba.conf does not let it in from here. Check the connection string, and create the role with LOGIN."
      )
    case .missingRight:
      (
        .permissionDenied,
        "The role may not connect to the database. Let an administrator GRANT CONNECT ON DATABASE to it."
      )
    case .noSuchDatabase:
      (.notFound, "The database does not exist. Create it, or connect to another one.")
    case .tooManyConnections:
      (
        .unavailable,
        "The server, the database or the role has too many connections. Nothing was written; close some, or raise max_connections or the CONNECTION LIMIT, then try again."
      )
    default: nil
    }
  }
}
