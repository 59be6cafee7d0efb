@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// A store that does as another one does, where it says nothing else.
protocol ForwardingStore: EventStore {
  /// The other one.
  var store: InMemoryEventStore { get }
}

extension ForwardingStore {
  var ledgerID: LedgerID { store.ledgerID }
  var createdAt: Timestamp { store.createdAt }
  var isRemote: Bool { store.isRemote }

  func head() throws(LedgerError) -> Position { try store.head() }

  func read(
    after position: Position, limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) -> Position {
    try store.read(after: position, limit: limit, body)
  }

  func attachment(of position: Position, byteCount: Int) throws(LedgerError) -> [UInt8] {
    try store.attachment(of: position, byteCount: byteCount)
  }

  func readSnapshot<R>(
    _ body: (any SnapshotTables) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try store.readSnapshot(body)
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

  func releaseDeadReaders() -> Int { store.releaseDeadReaders() }

  func close() { store.close() }
}
