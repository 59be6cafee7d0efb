@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// A store that forwards everything to another one, unless it overrides it.
protocol ForwardingStore: EventStore, ForwardingSource {
  /// The other one.
  var store: InMemoryEventStore { get }
}

extension ForwardingStore {
  var ledgerID: LedgerID { store.ledgerID }
  var createdAt: Timestamp { store.createdAt }
  var isRemote: Bool { store.isRemote }

  func withSource<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try body(store)
  }

  func changeSnapshot(
    _ changes: [TableChange], from old: SnapshotSummary, to new: SnapshotSummary,
    patience: Patience
  ) throws(LedgerError) -> Duration {
    try store.changeSnapshot(changes, from: old, to: new, patience: patience)
  }

  func now() -> Timestamp { store.now() }

  func view(_ request: ViewRequest) throws(LedgerError) -> StoreView { try store.view(request) }

  func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn {
    try store.beginCommit(patience)
  }

  func append(
    _ batch: EventBatch, _ commit: CommitID, after base: Position
  ) throws(LedgerError) -> AppendOutcome {
    try store.append(batch, commit, after: base)
  }

  func endCommit() { store.endCommit() }

  func lockForCompaction() throws(LedgerError) -> (any CompactionHold)? {
    store.lockForCompaction()
  }

  func usedByteCount() throws(LedgerError) -> Int { try store.usedByteCount() }

  var changeCount: UInt32 { store.changeCount }

  func waitForChange(since count: UInt32, timeout: Duration) {
    store.waitForChange(since: count, timeout: timeout)
  }

  func interruptWaits() { store.interruptWaits() }

  func close() { store.close() }
}
