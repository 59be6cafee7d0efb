import LedgerModel
import LedgerPostgreSQL
import LedgerRuntime

/// A ledger that is inspected without a session. Each view is a transaction that only reads, so it may be on a
/// standby.
final class PostgreSQLInspection: InspectedStore, ForwardingSource {
  let metadata: LedgerMetadata
  var sessions: any SessionRegistry { registry }
  private let registry: PostgreSQLSessionRegistry
  private let views: LedgerViews

  /// Opens a ledger of a schema.
  convenience init(
    _ place: PostgreSQLLedger, prefersStandby: Bool = false
  ) throws(LedgerError) {
    let place = place.forReading(prefersStandby: prefersStandby)
    let pool = ConnectionPool(place.settings, place.names, for: .inspection)
    let connection = try pool.borrow()
    try SchemaVersion.check(place.names, connection)
    let entry = try LedgerEntry.find(place.name, in: place.names, connection)
    pool.giveBack(connection)
    self.init(place, entry, pool)
  }

  /// - Parameter entry: The ledger, which may still be built.
  init(_ place: PostgreSQLLedger, _ entry: LedgerEntry, _ pool: ConnectionPool) {
    metadata = entry.metadata
    registry = PostgreSQLSessionRegistry(
      of: place, in: ConnectionPool(place.settings, place.names, for: .inspection))
    views = LedgerViews(sql: LedgerSQL(names: place.names, number: entry.number), pool: pool)
  }

  deinit { close() }

  func close() {
    views.pool.close()
    registry.close()
  }

  func withSource<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try views.withSource(body)
  }

  func withView<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try views.withView(body)
  }

  func withPinnedView<R>(_ body: (any LedgerSource) throws -> R) throws -> R {
    try views.withView { (view) throws(LedgerError) in Result { try body(view) } }.get()
  }

  func usedByteCount() throws(LedgerError) -> Int {
    try views.begun { (view, end) throws(LedgerError) in
      let count = try view.usedByteCount()
      try end()
      return count
    }
  }

  /// Compares the row of the ledger with its last frame, in one step. The server checks its pages itself.
  func checkStructure(while goesOn: () -> Bool) throws(LedgerError) -> LedgerError? {
    guard goesOn() else { throw LedgerError(.closed, "The check was ended.") }
    return try views.begun { (view, end) throws(LedgerError) in
      let problem = try view.problemOfHead()
      try end()
      return problem
    }
  }
}

extension PinnedView {
  /// The error if the row of the ledger does not match the last frame.
  fileprivate func problemOfHead() throws(LedgerError) -> LedgerError? {
    let last: FrameHeader?
    do throws(LedgerError) {
      last = try lastFrame()
    } catch {
      // Reading all frames finds the damaged one, and says more.
      guard error.isDamage else { throw error }
      return nil
    }
    let (end, commit) = (last?.lastPosition ?? .start, last?.commit)
    guard end != row.head || commit != row.commit else { return nil }
    return LedgerError(
      .corrupt,
      "The row of the ledger says that the log ends at position \(row.head), but the last frame ends at position \(end), or is of another commit. Restore the database from a backup."
    )
  }
}
