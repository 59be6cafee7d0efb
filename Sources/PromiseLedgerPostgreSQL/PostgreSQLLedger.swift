package import LedgerModel
import LedgerPostgreSQL
public import LedgerRuntime
import LedgerSystem

/// A ledger on a PostgreSQL server, by its name: one of any number in a schema of a database.
///
/// ```swift
/// let place = try PostgreSQLLedger("orders", on: "host=db.example.com dbname=shop user=app")
/// try await place.createSchema()  // once, as the owner
/// let ledger = try await Ledger.open(place, as: .app)
/// ```
///
/// Passwords and certificates come from the places that libpq looks at: the connection string, the password file
/// and the environment. They are in no description, error or log.
public struct PostgreSQLLedger: Sendable {
  /// The right to use the ledgers of a schema. Each includes the ones before it.
  public enum Access: Sendable, Hashable, CaseIterable {
    /// To inspect ledgers.
    case reading
    /// To open ledgers and append events. It allows nobody to change or delete an event.
    case writing
    /// To fold events into the snapshot, and to delete folded events.
    case compacting
  }

  /// What the server promises about a commit that it acknowledged.
  public enum Durability: Int, Sendable, Hashable, Comparable {
    /// A crash of the server's host may lose it, or damage the database: `fsync` or `full_page_writes` is off.
    case notSynced
    /// It is on the server's disk.
    case oneDisk
    /// It is on the disk of a standby, too: `synchronous_standby_names` is set.
    case replicated

    /// Whether one promises less than the other.
    public static func < (left: Durability, right: Durability) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// How a session makes sure that what it reads is the newest state.
  public enum Reading: Sendable, Hashable {
    /// It asks the primary. One that was deposed while it stood still answers with its last state, until it learns
    /// of that.
    case unconfirmed
    /// Before it reads, it makes a commit that changes nothing. A primary that was deposed cannot end one, because
    /// no standby confirms it.
    case confirmed
  }

  /// The maximum length of a name, in bytes of UTF-8.
  static let maximumNameByteCount = 200

  /// The name of the ledger, 1 to 200 bytes of UTF-8.
  public let name: String

  /// What the server must promise; otherwise opening and committing throw ``LedgerError/Code/notDurable``.
  public var requiredDurability = Durability.oneDisk

  /// Whether reads are confirmed. The server must then be ``Durability/replicated``; otherwise opening throws
  /// ``LedgerError/Code/notDurable``.
  ///
  /// Each look at the log takes one more round trip, to the server and from there to a standby; reads that wait at
  /// the same time share it. A read that cannot be confirmed within ``reconnectionPatience`` throws
  /// ``LedgerError/Code/unavailable``, and the session goes on: read again once a new primary or a standby is there.
  public var reads = Reading.unconfirmed

  /// How long a session goes without a sign of life until others may end it. Shorter than 5 seconds is taken as 5.
  ///
  /// The time is that of the observer's own clock while it is connected, so an outage of the server ends no
  /// session.
  public var lease = Duration.seconds(15)

  /// How long a session may stay frozen before others may end it, by the server's clock, in whole seconds; at most
  /// 100 years.
  ///
  /// A frozen session shows no sign of life, so if its process is killed, others find out only after this time. If it
  /// comes back later than that, `unfreeze()` may throw ``LedgerError/Code/sessionEnded``: open
  /// the ledger again.
  public var frozenLease = Duration.seconds(86_400)

  /// How long a commit whose connection was lost waits for the server, to find out whether it was written; and how
  /// long a read waits to be confirmed. A session that is asked to freeze or close does not wait.
  public var reconnectionPatience = Duration.seconds(30)

  /// Whether a session tells other processes of its commits, which otherwise look only once in a poll interval.
  package var tellsOfCommits = true

  /// The maximum size of what one commit writes, in bytes. The server ends a connection that sends a message of a
  /// gigabyte.
  package var largestCommitByteCount = 512 << 20

  /// The lease of frozen sessions, within what an interval of the server can be.
  var frozenLeaseInSeconds: Int64 { min(frozenLease.components.seconds, 100 * 31_557_600) }

  /// What the sessions of the ledger need the server to promise.
  var neededDurability: Durability {
    reads == .confirmed ? max(requiredDurability, .replicated) : requiredDurability
  }

  private(set) var settings: ConnectionSettings
  let names: SchemaNames

  /// Names a ledger; this does not connect.
  ///
  /// - Parameters:
  ///   - name: The name of the ledger.
  ///   - connection: A connection string or URI of libpq, as in `"host=db.example.com dbname=shop user=app"`. The
  ///     server must prove its name by a certificate (`sslmode=verify-full`), unless the string or the
  ///     environment variable `PGSSLMODE` says otherwise, or the server is reached by a Unix socket.
  ///   - schema: The schema with the tables. Several applications or tenants in one database use several.
  /// - Throws: ``LedgerError`` with `invalidArgument` for a name that cannot be used, or a connection string that
  ///   libpq cannot read.
  public init(
    _ name: String, on connection: String, schema: String = "promise_ledger"
  ) throws(LedgerError) {
    guard (1...Self.maximumNameByteCount).contains(name.utf8.count), !name.utf8.contains(0) else {
      throw LedgerError(
        .invalidArgument, "A ledger needs a name of 1 to \(Self.maximumNameByteCount) bytes.")
    }
    self.name = name
    names = try SchemaNames(schema)
    do throws(PostgreSQLError) {
      settings = try ConnectionSettings(connection)
    } catch {
      throw LedgerError(.invalidArgument, error.message)
    }
  }

  /// Creates the schema and its tables, or migrates those of an older version.
  ///
  /// Call it as the role that is to own the schema, and again after each update of this library. It may be called
  /// any number of times, also at the same time.
  ///
  /// - Throws: ``LedgerError`` with `permissionDenied`, `unavailable`, `notFound` if there is no such database;
  ///   `incompatibleFormat` if a newer version of this library made the schema.
  public func createSchema() async throws {
    try await asOwner { (owner) throws(LedgerError) in try owner.createOrMigrate() }
  }

  /// Lets a role of the server use all ledgers of the schema. Call it as the owner of the schema.
  ///
  /// - Parameters:
  ///   - access: What the role may do.
  ///   - role: The name of the role, which exists.
  /// - Throws: ``LedgerError`` with `permissionDenied`, `invalidArgument`, `unavailable`; `ioFailure` if there is
  ///   no such role.
  public func grant(_ access: Access, to role: String) async throws {
    try await asOwner { (owner) throws(LedgerError) in try owner.grant(access, to: role) }
  }

  /// Creates the ledger if there is none of its name. Opening it creates it, too, if the role of the connection
  /// may; for other roles, the owner of the schema calls this first.
  ///
  /// - Throws: ``LedgerError`` with `permissionDenied`, `unavailable`, `notALedger` if there is no schema yet;
  ///   `incompatibleFormat`.
  public func create() async throws {
    let clock = SystemLedgerClock()
    try await asOwner { (owner) throws(LedgerError) in
      let id = LedgerID(entityID: RandomIDGenerator().makeID(at: clock.now()))
      let metadata = LedgerMetadata(ledgerID: id, createdAt: clock.now())
      try owner.inTransaction { () throws(LedgerError) in
        try SchemaVersion.check(names, owner.connection)
        _ = try LedgerEntry.findOrCreate(name, in: names, metadata, owner.connection)
      }
    }
  }

  /// Whether the connection string contains a password, or another secret.
  package var hasSecret: Bool { settings.hasSecret }

  /// The same ledger for connections that only read, which a standby accepts, too.
  func forReading(prefersStandby: Bool) -> PostgreSQLLedger {
    var place = self
    place.settings = settings.forReading(prefersStandby: prefersStandby)
    return place
  }

  /// Runs `body` on a thread that may block.
  private func asOwner(
    _ body: @Sendable (SchemaOwner) throws(LedgerError) -> Void
  ) async throws {
    let executor = ThreadTaskExecutor(name: "ledger-owner")
    try await withTaskExecutorPreference(executor) {
      try await Self.leavingCaller { try owned(body) }
    }
  }

  /// Runs `body` with a connection of its own.
  func owned(_ body: (SchemaOwner) throws(LedgerError) -> Void) throws(LedgerError) {
    let connection = try LedgerError.onServer(names) { () throws(PostgreSQLError) in
      try Connection(settings)
    }
    try body(SchemaOwner(names: names, connection: connection))
  }

  /// Leaves the thread of the caller, even if the caller is an actor.
  @concurrent private static func leavingCaller(
    _ body: @Sendable () throws -> Void
  ) async throws {
    try body()
  }
}

extension PostgreSQLLedger {
  /// Opens the store of the ledger, which is created if there is none.
  package func openStore(_ metadata: LedgerMetadata) throws(LedgerError) -> any EventStore {
    try PostgreSQLEventStore(opening: self, new: metadata)
  }

  /// The registry of the ledger's sessions.
  package func makeSessions() -> any SessionRegistry { PostgreSQLSessionRegistry(of: self) }

  /// Creates or migrates the schema, on the thread of the caller.
  package func createSchemaBlocking() throws(LedgerError) {
    try owned { (owner) throws(LedgerError) in try owner.createOrMigrate() }
  }
}
