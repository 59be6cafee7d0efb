import LedgerModel
import LedgerPostgreSQL
import LedgerRuntime
import LedgerSystem
import Synchronization

/// A store on a PostgreSQL server.
///
/// A session that commits alone needs one round trip, which checks that the log ends as the session left it. Once it saw
/// another writer, it locks the ledger's row first, so that no writer decides in vain, until it wrote the newest event.
final class PostgreSQLEventStore: EventStore, ForwardingSource {
  let ledgerID: LedgerID
  let createdAt: Timestamp
  let isRemote = true

  let sql: LedgerSQL
  let pool: ConnectionPool
  private let views: LedgerViews
  let place: PostgreSQLLedger
  let hub: ChangeHub
  let changes = ChangeCounter()
  let state: Mutex<State>
  /// The commit of this store that has begun.
  let writer = Mutex<Turn?>(nil)

  /// What the store knows of its ledger.
  struct State {
    /// Whether the snapshot was seen to have something to look up.
    var hasSnapshot = true
    var time: ServerTime?
    /// The furthest end of the log that was seen.
    var seen: LogEnd?
    /// The row as this store's newest commit left it; `nil` once a later change was seen.
    var own: LogRow?
  }

  /// The server's time at a moment of this process.
  struct ServerTime {
    let time: Timestamp
    let moment: Duration

    init(_ time: Timestamp) {
      self.time = time
      moment = MonotonicClock.now
    }

    var current: Timestamp { time + (MonotonicClock.now - moment) }
  }

  /// Opens a ledger, which is created if there is none.
  init(opening place: PostgreSQLLedger, new metadata: LedgerMetadata) throws(LedgerError) {
    self.place = place
    pool = ConnectionPool(
      place.settings, place.names, for: .session(requires: place.neededDurability))
    let connection = try pool.borrow()
    try SchemaVersion.check(place.names, connection)
    let entry = try LedgerEntry.findOrCreate(place.name, in: place.names, metadata, connection)
    sql = LedgerSQL(names: place.names, number: entry.number)
    views = LedgerViews(sql: sql, pool: pool)
    ledgerID = entry.metadata.ledgerID
    createdAt = entry.metadata.createdAt
    hub = try ChangeHub.shared(place.settings, place.names)
    state = Mutex(State())
    let view = try PinnedView(sql, on: connection, endsAtOnce: true)
    try noteSeen(view.row, after: nil)
    pool.giveBack(connection)
    try hub.add(changes, of: sql.number)
  }

  // MARK: Reading

  func withSource<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try withPinnedView(body)
  }

  func withView<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try withPinnedView(body)
  }

  func head() throws(LedgerError) -> Position {
    try begun(endsAtOnce: true) { (view, _) throws(LedgerError) in view.row.head }
  }

  /// Answers in one round trip if the snapshot has nothing that is asked for. It reads everything once more if the
  /// connection is lost meanwhile.
  func view(_ request: ViewRequest) throws(LedgerError) -> StoreView {
    let confirmation = ReadConfirmation(for: place)
    return try pool.retryingOnce { () throws(LedgerError) in
      try viewOnce(request, confirming: confirmation)
    }
  }

  private func viewOnce(
    _ request: ViewRequest, confirming confirmation: ReadConfirmation?
  ) throws(LedgerError) -> StoreView {
    let needsLittle =
      request.attachments.isEmpty && request.eventLimit < PinnedView.sliceCount
    let needsNothing = request.needs.isEmpty || !state.withLock { $0.hasSnapshot }
    if needsLittle, needsNothing {
      let answer: StoreView? = try begun(for: request, endsAtOnce: true, confirming: confirmation) {
        (view, _) throws(LedgerError) in
        // The first fold may have come in between.
        guard request.needs.isEmpty || view.row.summary == nil else { return nil }
        return try view.answer(request)
      }
      if let answer { return answer }
    }
    return try begun(for: request, confirming: confirmation) { (view, end) throws(LedgerError) in
      let answer = try view.answer(request)
      try end()
      return answer
    }
  }

  private func withPinnedView<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try begun { (view, end) throws(LedgerError) in
      let result = try body(view)
      try end()
      return result
    }
  }

  /// Runs `body` on a new view of the log that this store knows, after a confirmation if reads need one.
  func begun<R>(
    for request: ViewRequest? = nil, endsAtOnce: Bool = false,
    _ body: (PinnedView, _ end: () throws(LedgerError) -> Void) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try begun(
      for: request, endsAtOnce: endsAtOnce, confirming: ReadConfirmation(for: place), body)
  }

  private func begun<R>(
    for request: ViewRequest?, endsAtOnce: Bool = false,
    confirming confirmation: ReadConfirmation?,
    _ body: (PinnedView, _ end: () throws(LedgerError) -> Void) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    let known = state.withLock { $0.seen }
    return try views.begun(
      for: request, endsAtOnce: endsAtOnce, confirming: confirmation,
      noting: { (row) throws(LedgerError) in try noteSeen(row, after: known) }, body)
  }

  // MARK: What was seen

  /// Notes what the row of the ledger shows, and checks that the log goes on where it was seen to end.
  ///
  /// A server that was restored from a copy, or that took over without the newest commits, shows another past. If
  /// its log is longer, the view that reads its events finds out.
  ///
  /// - Parameter known: The end of the log that was known before the row was read.
  /// - Throws: `historyChanged`.
  func noteSeen(_ row: LogRow, after known: LogEnd?) throws(LedgerError) {
    let end = LogEnd(position: row.head, commit: row.commit)
    if let known {
      guard end == known || end.position > known.position else {
        throw .historyChanged(at: known.position)
      }
    }
    state.withLock { state in state.note(row, end) }
  }

  /// Notes the row as a commit of this store left it; `nil` if it could not be read.
  func noteOwn(_ row: LogRow?) {
    state.withLock { state in
      state.own = row
      if let row {
        state.note(row, LogEnd(position: row.head, commit: row.commit), isOwnCommit: true)
      }
    }
  }

  /// Lets the next commit lock the row of the ledger.
  func forgetOwn() { state.withLock { $0.own = nil } }

  // MARK: Time and changes

  /// The server's time, from the last answer and the time since.
  func now() -> Timestamp {
    state.withLock { $0.time }?.current ?? SystemLedgerClock().now()
  }

  var changeCount: UInt32 { changes.count }

  func waitForChange(since count: UInt32, timeout: Duration) {
    changes.wait(since: count, timeout: timeout)
  }

  func interruptWaits() {
    writer.withLock { $0?.isInterrupted = true }
    changes.add()
  }

  func close() {
    // Without its connection, the server rolls the transaction back.
    writer.withLock { $0 = nil }
    hub.remove(changes, of: sql.number)
    pool.close()
    changes.add()
  }

  // MARK: Compaction

  func lockForCompaction() throws(LedgerError) -> (any CompactionHold)? {
    let connection = try pool.connect()
    let isLocked = try AdvisoryLock.take(
      "hashtext($1), $2", [.text("promise_ledger/\(sql.names.name)"), .int4(sql.number)],
      on: connection, in: sql.names)
    return isLocked ? AdvisoryLock(connection) : nil
  }

  func usedByteCount() throws(LedgerError) -> Int {
    try begun { (view, end) throws(LedgerError) in
      let count = try view.usedByteCount()
      try end()
      return count
    }
  }
}

extension PostgreSQLEventStore.State {
  fileprivate mutating func note(_ row: LogRow, _ end: LogEnd, isOwnCommit: Bool = false) {
    // The server tells the time before it has made a commit durable, which may take long: what is known may be ahead.
    if !isOwnCommit || time.map({ $0.current < row.time }) ?? true {
      time = PostgreSQLEventStore.ServerTime(row.time)
    }
    if row.metadata != nil { hasSnapshot = row.summary != nil }
    // Another thread may have noted a later row meanwhile, even before the answer to this store's commit.
    let newest = seen.map { max($0.position, end.position) } ?? end.position
    if end.position == newest { seen = end }
    if let known = own, newest > known.head || row.epoch > known.epoch { own = nil }
  }
}
