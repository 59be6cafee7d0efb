import LedgerModel
public import LedgerRuntime

extension Ledger {
  /// Opens a ledger on a PostgreSQL server, or creates it if there is none of its name.
  ///
  /// The schema must exist; see ``PostgreSQLLedger/createSchema()``. Opening replays the events once, ends sessions
  /// that were found dead, and applies ``LedgerConfiguration/stalePromisePolicy``.
  ///
  /// - Parameters:
  ///   - place: The server, database and name of the ledger.
  ///   - role: The role of the session, which determines its permissions.
  ///   - configuration: The options of the session.
  /// - Throws: ``LedgerError`` with `notFound` if there is no such database, `notALedger` if there is no schema,
  ///   `incompatibleFormat` if the schema is older or newer, `permissionDenied`, `unavailable`, `notDurable`,
  ///   `writerStalled`, `sealed`, `corrupt`, `invalidArgument`.
  /// - Complexity: O(events since the snapshot).
  public static func open(
    _ place: PostgreSQLLedger, as role: SessionRole,
    configuration: LedgerConfiguration = LedgerConfiguration()
  ) async throws -> Ledger {
    let now = configuration.timeForIDs
    let metadata = LedgerMetadata(
      ledgerID: LedgerID(entityID: configuration.idGenerator.makeID(at: now)), createdAt: now)
    return try await open(
      { () throws(LedgerError) in try place.openStore(metadata) }, place.makeSessions(), as: role,
      configuration: configuration)
  }

  /// Opens a ledger on a PostgreSQL server for inspection only: it creates no session and writes nothing.
  ///
  /// Each read is a transaction of its own, which sees the ledger at one moment. A long one, such as an export or a
  /// verification, holds back the server's vacuum while it runs: on a standby, set `hot_standby_feedback`, or
  /// `max_standby_streaming_delay` to more than it takes.
  ///
  /// - Parameters:
  ///   - place: The server, database and name of the ledger. The role of the connection needs the right to read.
  ///   - prefersStandby: Whether to read a standby if the connection string names several hosts. It may lag behind.
  ///     Otherwise, a standby is read only if no host that answers is the primary.
  /// - Throws: ``LedgerError`` with `notFound` if there is no such ledger, `notALedger` if there is no schema,
  ///   `incompatibleFormat`, `sealed` while the ledger is being imported, `permissionDenied`, `unavailable`,
  ///   `invalidArgument` behind a pooler in transaction mode, `corrupt`; `CancellationError`.
  public static func inspect(
    _ place: PostgreSQLLedger, prefersStandby: Bool = false
  ) async throws -> LedgerInspector {
    try await .open { try BlockingInspector(place, prefersStandby: prefersStandby) }
  }
}

extension BlockingInspector {
  /// Opens a ledger for inspection only, as ``Ledger/inspect(_:prefersStandby:)`` does.
  package convenience init(
    _ place: PostgreSQLLedger, prefersStandby: Bool = false
  ) throws(LedgerError) {
    self.init(try PostgreSQLInspection(place, prefersStandby: prefersStandby))
  }

  /// The size of the ledger's frames, attachments and records in the tables.
  ///
  /// - Throws: ``LedgerError`` with `closed`, `unavailable`; with `invalidArgument` for a ledger that is not on a
  ///   server.
  package func usedByteCount() throws(LedgerError) -> Int {
    guard let store = store as? PostgreSQLInspection else {
      throw LedgerError(
        .invalidArgument, "The ledger is not on a server. Ask its store for the space.")
    }
    return try store.usedByteCount()
  }
}
