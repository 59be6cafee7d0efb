package import LedgerModel
package import LedgerRuntimeTesting

/// A store that forwards everything to another one, unless it overrides it.
package protocol ForwardingStore: EventStore, ForwardingSource {
  /// The other one.
  var store: InMemoryEventStore { get }
}

extension ForwardingStore {
  package var ledgerID: LedgerID { store.ledgerID }
  package var createdAt: Timestamp { store.createdAt }
  package var isRemote: Bool { store.isRemote }

  package func withSource<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try body(store)
  }

  package func changeSnapshot(
    _ changes: [TableChange], from old: SnapshotSummary, to new: SnapshotSummary,
    patience: Patience
  ) throws(LedgerError) -> Duration {
    try store.changeSnapshot(changes, from: old, to: new, patience: patience)
  }

  package func now() -> Timestamp { store.now() }

  package func view(_ request: ViewRequest) throws(LedgerError) -> StoreView {
    try store.view(request)
  }

  package func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn {
    try store.beginCommit(patience)
  }

  package func append(
    _ batch: EventBatch, _ commit: CommitID, after base: Position
  ) throws(LedgerError) -> AppendOutcome {
    try store.append(batch, commit, after: base)
  }

  package func endCommit() { store.endCommit() }

  package func lockForCompaction() throws(LedgerError) -> (any CompactionHold)? {
    store.lockForCompaction()
  }

  package func usedByteCount() throws(LedgerError) -> Int { try store.usedByteCount() }

  package var changeCount: UInt32 { store.changeCount }

  package func waitForChange(since count: UInt32, timeout: Duration) {
    store.waitForChange(since: count, timeout: timeout)
  }

  package func interruptWaits() { store.interruptWaits() }

  package func close() { store.close() }
}
