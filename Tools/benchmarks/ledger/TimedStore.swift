import LedgerSystem
import PromiseLedger
import Synchronization

/// A store that measures for how long its session keeps other writers out.
final class TimedStore: EventStore, ForwardingSource {
  private struct Contents {
    var began = Duration.zero
    var appending = Duration.zero
    var holds: [Hold] = []
  }

  /// One commit.
  struct Hold {
    /// The time from its beginning to its end.
    let whole: Duration
    /// The part of it in which the store wrote and synced.
    let appending: Duration
  }

  private let store: LMDBEventStore
  private let contents = Mutex(Contents())

  init(_ store: LMDBEventStore) { self.store = store }

  /// Returns the commits since the last call.
  func takeHolds() -> [Hold] {
    contents.withLock { contents in
      defer { contents.holds = [] }
      return contents.holds
    }
  }

  func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn {
    let turn = try store.beginCommit(patience)
    contents.withLock { ($0.began, $0.appending) = (MonotonicClock.now, .zero) }
    return turn
  }

  func append(
    _ batch: EventBatch, _ commit: CommitID, after base: Position
  ) throws(LedgerError) -> AppendOutcome {
    let start = MonotonicClock.now
    defer { contents.withLock { $0.appending += MonotonicClock.now - start } }
    return try store.append(batch, commit, after: base)
  }

  func newerHead(than base: Position) -> Position? { store.newerHead(than: base) }

  func endCommit() {
    store.endCommit()
    contents.withLock { contents in
      contents.holds.append(
        Hold(whole: MonotonicClock.now - contents.began, appending: contents.appending))
    }
  }

  // MARK: Forwarded

  var ledgerID: LedgerID { store.ledgerID }
  var createdAt: Timestamp { store.createdAt }
  var isRemote: Bool { store.isRemote }
  var changeCount: UInt32 { store.changeCount }

  func withSource<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try body(store)
  }

  func now() -> Timestamp { store.now() }

  func view(_ request: ViewRequest) throws(LedgerError) -> StoreView { try store.view(request) }

  func changeSnapshot(
    _ changes: [TableChange], from old: SnapshotSummary, to new: SnapshotSummary,
    patience: Patience
  ) throws(LedgerError) -> Duration {
    try store.changeSnapshot(changes, from: old, to: new, patience: patience)
  }

  func lockForCompaction() throws(LedgerError) -> (any CompactionHold)? {
    try store.lockForCompaction()
  }

  func usedByteCount() throws(LedgerError) -> Int { try store.usedByteCount() }

  func waitForChange(since count: UInt32, timeout: Duration) {
    store.waitForChange(since: count, timeout: timeout)
  }

  func interruptWaits() { store.interruptWaits() }

  func reclaimFromTheDead() -> Int { store.reclaimFromTheDead() }

  func close() { store.close() }
}
