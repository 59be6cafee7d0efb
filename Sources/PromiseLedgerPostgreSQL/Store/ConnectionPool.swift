import LedgerModel
import LedgerPostgreSQL
import LedgerSystem
import Synchronization

/// The connections of one store: as many as are used at once, kept for the next use.
final class ConnectionPool: Sendable {
  let names: SchemaNames
  private let settings: ConnectionSettings
  private let use: Use
  private let contents = Mutex(Contents())

  /// What the connections are for.
  enum Use: Sendable, Hashable {
    /// A session, for which the server must promise a durability.
    case session(requires: PostgreSQLLedger.Durability)
    /// The signs of life of sessions. They wait for no standby: while there is none, they would all seem dead.
    case beats(requires: PostgreSQLLedger.Durability)
    /// An inspection, which only reads.
    case inspection
  }

  private struct Contents {
    var idle: [Connection] = []
    var isClosed = false
    /// Rises when a connection is lost, so that what was known by older ones is looked up again.
    var lossCount = 0
    /// The time of the newest loss.
    var lossTime: Duration?
    /// Whether no pooler lends the connections to single transactions.
    var isUnshared = false
  }

  init(_ settings: ConnectionSettings, _ names: SchemaNames, for use: Use) {
    self.settings = settings
    self.names = names
    self.use = use
  }

  /// The number of connections that were lost so far.
  var lossCount: Int { contents.withLock { $0.lossCount } }

  // MARK: Borrowing

  /// Returns an idle connection, or a new one. The borrower gives it back or drops it.
  func borrow() throws(LedgerError) -> Connection {
    try borrow(isNew: false)
  }

  /// Returns a connection of its own, which nobody used before.
  func connect() throws(LedgerError) -> Connection {
    try borrow(isNew: true)
  }

  private func borrow(isNew: Bool) throws(LedgerError) -> Connection {
    let idle: Connection? = try contents.withLock { (contents) throws(LedgerError) in
      guard !contents.isClosed else { throw .storeClosed }
      return isNew ? nil : contents.idle.popLast()
    }
    if let idle { return idle }
    let connection = try open()
    // Before anything is set: the settings would reach others.
    if !contents.withLock({ $0.isUnshared }) {
      try refuseSharing(of: connection)
      contents.withLock { $0.isUnshared = true }
    }
    try prepare(connection)
    return connection
  }

  /// Opens a connection that is not prepared for any use.
  func open() throws(LedgerError) -> Connection {
    try LedgerError.onServer(names) { () throws(PostgreSQLError) in try settings.connect() }
  }

  /// Keeps a connection for its next use. It must be outside any transaction.
  func giveBack(_ connection: Connection) {
    guard connection.isUsable else { return noteLoss() }
    contents.withLock { contents in
      // One that was in use at a loss may lead to the old primary, too.
      let isOld = contents.lossTime.map { connection.startTime <= $0 } ?? false
      if !contents.isClosed, !connection.wasCancelled, !isOld { contents.idle.append(connection) }
    }
  }

  /// Gives a connection back after an error, once its transaction is rolled back.
  func giveBackRolledBack(_ connection: Connection) {
    if connection.isUsable { _ = try? connection.run("ROLLBACK") }
    giveBack(connection)
  }

  /// Drops the idle connections: if one is lost, the server may have restarted, and the others are lost, too.
  func noteLoss() {
    contents.withLock { contents in
      contents.lossCount += 1
      contents.lossTime = MonotonicClock.now
      contents.idle = []
    }
  }

  /// Drops the idle connections after an error that may mean the loss of all, which that of a server with too many
  /// connections does not.
  func noteLoss(_ error: LedgerError) {
    guard (error.cause as? PostgreSQLError)?.state != .tooManyConnections else { return }
    noteLoss()
  }

  /// Closes the idle connections; the next use opens new ones.
  func closeIdle() {
    contents.withLock { $0.idle = [] }
  }

  /// Closes the idle connections for good. Those in use close when they are given back.
  func close() {
    contents.withLock { contents in
      contents.isClosed = true
      contents.idle = []
    }
  }

  /// Runs `body` once more, on a new connection, if it could not reach the server, or saw a log that is older than
  /// what is known: its connection may be of before a restart or a failover. An old primary that does not know of its
  /// successor yet still answers.
  func retryingOnce<R>(
    after codes: [LedgerError.Code] = [.unavailable, .historyChanged],
    _ body: () throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    do throws(LedgerError) {
      return try body()
    } catch {
      guard codes.contains(error.code) else { throw error }
      noteLoss(error)
      return try body()
    }
  }

  // MARK: Preparing

  /// The longest time for which a transaction of a session that is gone may hold the ledger's row, where the
  /// server does not notice that its connection is dead.
  private static let idleInTransactionLimit = "15s"

  private func prepare(_ connection: Connection) throws(LedgerError) {
    let (required, waitsForStandby): (PostgreSQLLedger.Durability, Bool)
    switch use {
    case .inspection:
      // No limit: what is read may be sent to a slow place between two statements.
      return try LedgerError.onServer(names) { () throws(PostgreSQLError) in
        _ = try connection.run([
          Statement("SET default_transaction_read_only = on"),
          Statement("SET idle_in_transaction_session_timeout = 0"),
          // A standby refuses the strictest level of the role.
          Statement("SET default_transaction_isolation = 'read committed'"),
        ])
      }
    case .session(let durability): (required, waitsForStandby) = (durability, true)
    case .beats(let durability): (required, waitsForStandby) = (durability, false)
    }
    let durability = try LedgerError.onServer(names) { () throws(PostgreSQLError) in
      let rows = try connection.run(
        [
          Statement("SET synchronous_commit = \(waitsForStandby ? "on" : "local")"),
          Statement("SET idle_in_transaction_session_timeout = '\(Self.idleInTransactionLimit)'"),
          // A stricter level of the role would make commits among others fail.
          Statement("SET default_transaction_isolation = 'read committed'"),
          // Otherwise the role may miss that a wait for a standby was cancelled.
          Statement("SET client_min_messages = 'warning'"),
          Statement(
            """
            SELECT current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on',
              current_setting('synchronous_standby_names') <> ''
            """),
        ]
      ).rows[4]
      return PostgreSQLLedger.Durability(
        isSynced: try rows.bool(0, 0), isReplicated: try rows.bool(0, 1))
    }
    guard durability >= required else { throw .notDurable(durability, requires: required) }
  }
}

extension PostgreSQLLedger.Durability {
  fileprivate init(isSynced: Bool, isReplicated: Bool) {
    self = !isSynced ? .notSynced : isReplicated ? .replicated : .oneDisk
  }
}

extension LedgerError {
  fileprivate static func notDurable(
    _ found: PostgreSQLLedger.Durability, requires required: PostgreSQLLedger.Durability
  ) -> LedgerError {
    let remedy =
      found == .notSynced
      ? "Set fsync and full_page_writes to on" : "Set synchronous_standby_names on the server"
    return LedgerError(
      .notDurable,
      "The server promises the durability \"\(found)\" for a commit, and the ledger requires \"\(required)\". Nothing was written. \(remedy), or require less."
    )
  }
}
