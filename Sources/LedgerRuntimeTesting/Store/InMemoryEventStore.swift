import LedgerBytes
package import LedgerModel
package import LedgerRuntime
import LedgerSystem
import Synchronization

/// A store in memory, for tests. Nothing is durable; everything else works as with files.
///
/// It holds no lock during a decision: the head may move until the events are appended.
package final class InMemoryEventStore: EventStore {
  private let contents: Mutex<InMemoryLedger>
  private let changes = Atomic<UInt32>(0)
  private let sleepers = Mutex<[ObjectIdentifier: WakeSemaphore]>([:])

  private let compaction = Mutex<CompactionTurn?>(nil)

  package let ledgerID: LedgerID
  package let isRemote = false
  package let createdAt: Timestamp

  /// The size in bytes up to which a frame takes events. It is below the maximum, so that nothing comes to
  /// depend on the maximum.
  package static let frameByteCount = 4_032

  package init(
    ledgerID: LedgerID = LedgerID(entityID: EntityID(high: 0, low: 1)),
    frameByteCount: Int = InMemoryEventStore.frameByteCount
  ) {
    self.ledgerID = ledgerID
    createdAt = Timestamp(nanosecondsSinceEpoch: 0)
    contents = Mutex(InMemoryLedger(frameByteCount: frameByteCount))
  }

  /// Creates a store with the contents of a ledger.
  package init(
    ledgerID: LedgerID, createdAt: Timestamp = Timestamp(nanosecondsSinceEpoch: 0),
    _ contents: InMemoryLedger
  ) {
    self.ledgerID = ledgerID
    self.createdAt = createdAt
    self.contents = Mutex(contents)
  }

  /// The last position of each commit, in order.
  package func commitEnds() throws(LedgerError) -> [Position] { try moment.commitEnds() }

  /// The events after a position.
  package func events(after position: Position = .start) throws(LedgerError) -> [LedgerEvent] {
    let moment = moment
    var events: [LedgerEvent] = []
    _ = try moment.read(after: position, limit: .max) { (frame) throws(LedgerError) in
      try frame.forEachEvent(after: position) { events.append(LedgerEvent(copying: $0)) }
    }
    return events
  }

  /// A copy of the ledger as it was after the commit that ended at a position.
  ///
  /// - Throws: `invalidArgument` if no commit ended there, or later events are in the snapshot.
  package func copy(cutAfter position: Position) throws(LedgerError) -> InMemoryEventStore {
    InMemoryEventStore(ledgerID: ledgerID, try moment.cut(after: position))
  }

  /// Makes the next commits lose a race: each decision is discarded and made again.
  package func simulateConflicts(_ count: Int) {
    contents.withLock { $0.conflictCount = count }
  }

  /// The clock of the system.
  package func now() -> Timestamp {
    Timestamp(nanosecondsSinceEpoch: WallClock.nowNanoseconds)
  }

  // MARK: Reading

  package func withView<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try body(moment)
  }

  package func view(_ request: ViewRequest) throws(LedgerError) -> StoreView {
    try moment.answer(request)
  }

  private var moment: InMemoryLedger { contents.withLock { $0 } }

  // MARK: Writing

  package func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn {
    let moment = moment
    return CommitTurn(
      head: moment.head(), try moment.commit(at: moment.head()), room: .unlimited)
  }

  package func endCommit() {}

  package func append(
    _ batch: EventBatch, _ commit: CommitID, after base: Position
  ) throws(LedgerError) -> AppendOutcome {
    let outcome = try contents.withLock { (contents) throws(LedgerError) in
      try contents.append(batch, commit, after: base)
    }
    if case .appended = outcome { interruptWaits() }
    return outcome
  }

  package func newerHead(than base: Position) throws(LedgerError) -> Position? {
    try contents.withLock { (contents) throws(LedgerError) in try contents.newerHead(than: base) }
  }

  // MARK: The snapshot

  package func changeSnapshot(
    _ changes: [TableChange], from old: SnapshotSummary, to new: SnapshotSummary,
    patience: Patience
  ) throws(LedgerError) -> Duration {
    try contents.withLock { (contents) throws(LedgerError) in
      guard try contents.tables.summary() == old else { throw .snapshotMoved }
      for change in changes { contents.apply(change) }
      contents.apply(TableChange(.meta, SnapshotSummary.key, new.encoded))
      return .zero
    }
  }

  package func lockForCompaction() -> (any CompactionHold)? {
    compaction.withLock { holder -> CompactionTurn? in
      guard holder == nil else { return nil }
      let turn = CompactionTurn(of: self)
      holder = turn
      return turn
    }
  }

  /// Ends a turn; harmless if it has already ended.
  fileprivate func end(_ turn: CompactionTurn) {
    compaction.withLock { holder in
      if holder === turn { holder = nil }
    }
  }

  package func usedByteCount() throws(LedgerError) -> Int {
    moment.usedByteCount
  }

  // MARK: Waiting

  package var changeCount: UInt32 { changes.load(ordering: .acquiring) }

  package func waitForChange(since count: UInt32, timeout: Duration) {
    let sleeper = WakeSemaphore()
    sleepers.withLock { $0[ObjectIdentifier(sleeper)] = sleeper }
    defer { sleepers.withLock { $0[ObjectIdentifier(sleeper)] = nil } }
    if changeCount == count { _ = sleeper.wait(timeout: timeout) }
  }

  package func interruptWaits() {
    changes.wrappingAdd(1, ordering: .acquiringAndReleasing)
    for sleeper in sleepers.withLock({ $0.values.map(\.self) }) { sleeper.signal() }
  }

  package func close() {
    interruptWaits()
  }
}

private final class CompactionTurn: CompactionHold {
  private weak let store: InMemoryEventStore?

  init(of store: InMemoryEventStore) { self.store = store }

  func release() { store?.end(self) }
}

extension InMemoryEventStore: ForwardingSource {
  package func withSource<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try body(moment)
  }
}
