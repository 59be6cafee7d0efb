import LedgerBytes
package import LedgerModel
import LedgerSystem
import Synchronization

/// A store in memory, for tests: nothing is durable, everything else is as in a file.
package final class InMemoryEventStore: EventStore {
  private struct Contents {
    var frames: [(key: UInt64, bytes: [UInt8])] = []
    var head = Position.start
    var frameNumber: UInt32 = 0
    var attachments: [Position: [UInt8]] = [:]
    var conflictsToSimulate = 0
    var tables = InMemoryTables()

    mutating func apply(_ change: TableChange) {
      switch change.table {
      case .log:
        let key: UInt64 = change.key.span.loadLittleEndian(at: 0)
        frames.removeAll { $0.key == key.byteSwapped }
      case .blob:
        let position: UInt64 = change.key.span.loadLittleEndian(at: 0)
        attachments[Position(rawValue: position.byteSwapped)] = nil
      case .entities, .parts, .open, .tombstones, .meta:
        tables.apply(change)
      }
    }
  }

  private let contents = Mutex(Contents())
  private let changes = Atomic<UInt32>(0)
  private let sleepers = Mutex<[ObjectIdentifier: WakeSemaphore]>([:])

  /// Held during a commit, so that the head does not move under a decision.
  private let writing = Mutex(())

  private let compaction = Mutex<CompactionTurn?>(nil)

  package let ledgerID: LedgerID
  package let createdAt = Timestamp(nanosecondsSinceEpoch: 0)

  package init(ledgerID: LedgerID = LedgerID(entityID: EntityID(high: 0, low: 1))) {
    self.ledgerID = ledgerID
  }

  /// Makes the next commits lose a race: their decision is dropped and made again.
  package func simulateConflicts(_ count: Int) {
    contents.withLock { $0.conflictsToSimulate = count }
  }

  package func head() throws(LedgerError) -> Position {
    contents.withLock { $0.head }
  }

  package func read(
    after position: Position, limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) -> Position {
    let (frames, tables) = contents.withLock { ($0.frames, $0.tables) }
    let deleted = try tables.summary().deletedThrough
    guard position >= deleted else { throw .eventsCompacted(after: position, through: deleted) }
    guard position.rawValue < .max else { return position }
    var walk = FrameWalk(after: position)
    var count = 0
    let first = frames.partitioningIndex { $0.key > position.rawValue + 1 }
    for frame in frames[max(first - 1, 0)...] {
      if count >= limit { break }
      let view = try FrameView(checking: frame.bytes.span, key: frame.key)
      guard try walk.isNew(view.header) else { continue }
      try body(view)
      count += view.header.eventCount
    }
    return walk.position
  }

  package func attachment(
    of position: Position, byteCount: Int
  ) throws(LedgerError) -> [UInt8] {
    let (bytes, tables) = contents.withLock { ($0.attachments[position], $0.tables) }
    guard let bytes, bytes.count == byteCount else {
      let deleted = try tables.summary().deletedThrough
      if bytes == nil, position <= deleted {
        throw .attachmentCompacted(of: position, through: deleted)
      }
      throw LedgerError(.corrupt, "The value stored at position \(position) is missing.")
    }
    return bytes
  }

  package func commit(
    _ commit: CommitID, after position: Position, patience: Patience,
    catchUp: (FrameView) throws(LedgerError) -> Void,
    decide: (Position, CommitRoom) throws(LedgerError) -> EventBatch
  ) throws(LedgerError) -> Position {
    try writing.withLock { (_) throws(LedgerError) in
      try append(commit, after: position, catchUp, decide)
    }
  }

  /// Reads, decides, and appends unless it is to lose a race; then once more.
  private func append(
    _ commit: CommitID, after position: Position,
    _ catchUp: (FrameView) throws(LedgerError) -> Void,
    _ decide: (Position, CommitRoom) throws(LedgerError) -> EventBatch
  ) throws(LedgerError) -> Position {
    var applied = position
    while true {
      while true {
        let next = try read(after: applied, limit: .max, catchUp)
        if next == applied { break }
        applied = next
      }
      let batch = try decide(applied, .unlimited)
      if batch.isEmpty { return applied }
      var frames: [(UInt64, [UInt8])] = []
      let number = contents.withLock { $0.frameNumber } &+ 1
      batch.packFrames(from: applied.advanced(by: 1), number: number, commit: commit) {
        key, frame in
        frames.append((key, Array(copying: frame)))
      }
      let isAppended = contents.withLock { contents in
        guard contents.conflictsToSimulate == 0 else {
          contents.conflictsToSimulate -= 1
          return false
        }
        contents.frames += frames
        contents.frameNumber &+= UInt32(truncatingIfNeeded: frames.count)
        contents.head = applied.advanced(by: batch.count)
        for attachment in batch.attachments {
          contents.attachments[applied.advanced(by: attachment.index + 1)] = attachment.bytes
        }
        return true
      }
      if isAppended {
        interruptWaits()
        return applied.advanced(by: batch.count)
      }
    }
  }

  // MARK: The snapshot

  package func readSnapshot<R>(
    _ body: (any SnapshotTables) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try body(contents.withLock { $0.tables })
  }

  package func changeSnapshot(
    _ changes: [TableChange], from old: SnapshotSummary, to new: SnapshotSummary,
    patience: Patience
  ) throws(LedgerError) -> Duration {
    try writing.withLock { (_) throws(LedgerError) in
      try contents.withLock { (contents) throws(LedgerError) in
        guard try contents.tables.summary() == old else { throw .snapshotMoved }
        for change in changes { contents.apply(change) }
        contents.tables.apply(TableChange(.meta, SnapshotSummary.key, new.encoded))
        return .zero
      }
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

  /// Ends a turn; harmless if it is over.
  fileprivate func end(_ turn: CompactionTurn) {
    compaction.withLock { holder in
      if holder === turn { holder = nil }
    }
  }

  package func usedByteCount() throws(LedgerError) -> Int {
    contents.withLock { contents in
      contents.frames.reduce(0) { $0 + $1.bytes.count }
        + contents.attachments.values.reduce(0) { $0 + $1.count }
    }
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

  package func releaseDeadReaders() -> Int { 0 }

  package func close() {
    interruptWaits()
  }
}

private final class CompactionTurn: CompactionHold {
  private weak let store: InMemoryEventStore?

  init(of store: InMemoryEventStore) { self.store = store }

  func release() { store?.end(self) }
}
