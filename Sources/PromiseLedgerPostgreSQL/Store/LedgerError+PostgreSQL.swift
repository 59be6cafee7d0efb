import LedgerModel
import LedgerPostgreSQL

extension LedgerError {
  /// Translates a failure of the server into its meaning for a ledger.
  init(_ error: PostgreSQLError, in names: SchemaNames) {
    let (code, remedy) = Self.meaning(of: error, names)
    self.init(code, remedy, cause: error)
  }

  /// Runs calls of the server, and translates their errors.
  static func onServer<R>(
    _ names: SchemaNames, _ calls: () throws(PostgreSQLError) -> R
  ) throws(LedgerError) -> R {
    do throws(PostgreSQLError) { return try calls() } catch { throw LedgerError(error, in: names) }
  }

  private static func meaning(
    of error: PostgreSQLError, _ names: SchemaNames
  ) -> (Code, String) {
    if error.phase == .connecting, let meaning = meaningOfRefusal(error) { return meaning }
    if error.isAboutPreparedStatements {
      return (
        .unavailable,
        "The server no longer has the statements that it kept for the connection. Nothing was written; try again."
      )
    }
    switch error.state {
    case .missingRight?:
      return (
        .permissionDenied,
        "The role of the connection lacks a right on the schema \(names.name). Let the schema's owner grant it with PostgreSQLLedger.grant, or with promise-ledger-postgresql grant."
      )
    case .noSuchTable?, .noSuchSchema?:
      return (
        .notALedger,
        "The schema \(names.name) has no tables of ledgers. Let its owner create them with PostgreSQLLedger.createSchema, or with promise-ledger-postgresql create-schema."
      )
    case .lockNotAvailable?:
      return (
        .writerStalled,
        "Another session holds the ledger's row and did not release it in time. Nothing was written; try again."
      )
    case .queryCanceled?:
      return (
        .unavailable,
        "The server cancelled a statement: its statement_timeout passed, or an administrator asked for it. Nothing was written; try again, or raise the limit of the role."
      )
    case .serializationFailure?, .deadlock?:
      return (
        .unavailable,
        "The statement collided with another transaction. Nothing was written; try again."
      )
    case .damagedData?, .damagedIndex?:
      return (.corrupt, "The server found damaged data. Restore the database from a backup.")
    case .diskFull?:
      return (.diskFull, "The server's disk is full. Nothing was written; free some space.")
    case .readOnlyTransaction?: return readOnlyServer
    default: break
    }
    if error.phase == .connecting || error.isConnectionLost
      || error.asksForReconnection || error.state?.errorClass == "53"
    {
      return (
        .unavailable,
        "The server cannot be reached, or ended the connection. Nothing was written; check the server and the address, then try again."
      )
    }
    return (.ioFailure, "The server failed to run a statement. See the cause.")
  }

  static func newerSchema(_ names: SchemaNames, _ version: Int32) -> LedgerError {
    LedgerError(
      .incompatibleFormat,
      "The schema \(names.name) has version \(version); this build reads version \(SchemaVersion.current). Update the library."
    )
  }

  static func olderSchema(_ names: SchemaNames, _ version: Int32) -> LedgerError {
    LedgerError(
      .incompatibleFormat,
      "The schema \(names.name) has version \(version); this build reads version \(SchemaVersion.current). Let its owner migrate it with PostgreSQLLedger.createSchema, or with promise-ledger-postgresql create-schema."
    )
  }

  static func ledgerIsBuilding(_ name: String) -> LedgerError {
    LedgerError(
      .sealed,
      "The ledger \"\(name)\" is being imported, or its import died. Open it when the import has ended; if it died, repeat the import."
    )
  }

  static func noSuchLedger(_ name: String, _ names: SchemaNames) -> LedgerError {
    LedgerError(
      .notFound,
      "The schema \(names.name) has no ledger \"\(name)\". Open it with a role that may create it, or check the name; promise-ledger-postgresql ledgers lists those of the schema."
    )
  }

  static func mayNotCreate(
    _ name: String, _ names: SchemaNames, cause: PostgreSQLError
  ) -> LedgerError {
    LedgerError(
      .permissionDenied,
      "The schema \(names.name) has no ledger \"\(name)\", and the role of the connection may not create one. Let the schema's owner call PostgreSQLLedger.create, or promise-ledger-postgresql create, or check the name.",
      cause: cause)
  }
}
