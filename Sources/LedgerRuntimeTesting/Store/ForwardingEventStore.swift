package import LedgerModel

/// A store that forwards everything to another one, unless it overrides it.
package protocol ForwardingEventStore: EventStore, ForwardingSource {
  /// The other one.
  var base: any EventStore { get }
}

extension ForwardingEventStore {
  package var ledgerID: LedgerID { base.ledgerID }
  package var createdAt: Timestamp { base.createdAt }
  package var isRemote: Bool { base.isRemote }

  package func withSource<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try body(base)
  }

  package func changeSnapshot(
    _ changes: [TableChange], from old: SnapshotSummary, to new: SnapshotSummary,
    patience: Patience
  ) throws(LedgerError) -> Duration {
    try base.changeSnapshot(changes, from: old, to: new, patience: patience)
  }

  package func now() -> Timestamp { base.now() }

  package func view(_ request: ViewRequest) throws(LedgerError) -> StoreView {
    try base.view(request)
  }

  package func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn {
    try base.beginCommit(patience)
  }

  package func append(
    _ batch: EventBatch, _ commit: CommitID, after position: Position
  ) throws(LedgerError) -> AppendOutcome {
    try base.append(batch, commit, after: position)
  }

  package func newerHead(than position: Position) throws(LedgerError) -> Position? {
    try base.newerHead(than: position)
  }

  package func endCommit() { base.endCommit() }

  package func lockForCompaction() throws(LedgerError) -> (any CompactionHold)? {
    try base.lockForCompaction()
  }

  package func usedByteCount() throws(LedgerError) -> Int { try base.usedByteCount() }

  package var changeCount: UInt32 { base.changeCount }

  package func waitForChange(since count: UInt32, timeout: Duration) {
    base.waitForChange(since: count, timeout: timeout)
  }

  package func interruptWaits() { base.interruptWaits() }

  package func close() { base.close() }
}
