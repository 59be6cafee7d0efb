import Foundation
import LedgerModel
import Synchronization

/// A store of events in memory.
final class ShelfStore: EventStore {
  let ledgerID: LedgerID
  let createdAt: Timestamp
  let isRemote = false

  private let shelf = Mutex(Shelf())
  private let isCompacting = Mutex(false)
  private let bell = Bell()
  /// Whether it loses values that are stored beside events.
  private let losesValues: Bool

  init(_ ledgerID: LedgerID, createdAt: Timestamp, losesValues: Bool) {
    self.ledgerID = ledgerID
    self.createdAt = createdAt
    self.losesValues = losesValues
  }

  private var moment: Shelf { shelf.withLock { $0 } }

  func now() -> Timestamp {
    Timestamp(nanosecondsSinceEpoch: Int64(Date().timeIntervalSince1970 * 1e9))
  }

  // MARK: Reading

  func head() -> Position { moment.head() }

  func read(
    after position: Position, limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) -> Position {
    try moment.read(after: position, limit: limit, body)
  }

  func attachments(
    _ wanted: [AttachmentReference]
  ) throws(LedgerError) -> [Result<[UInt8], LedgerError>] {
    guard !losesValues else {
      return wanted.map { _ in .failure(LedgerError(.corrupt, "The value is lost.")) }
    }
    return try moment.attachments(wanted)
  }

  func readSnapshot<R>(
    _ body: (any SnapshotTables) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try moment.readSnapshot(body)
  }

  func withView<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try body(moment)
  }

  func view(_ request: ViewRequest) throws(LedgerError) -> StoreView { try moment.answer(request) }

  func usedByteCount() -> Int { moment.byteCount }

  // MARK: Writing

  func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn {
    let moment = moment
    return CommitTurn(
      head: moment.head(), try moment.commit(at: moment.head()), room: .unlimited)
  }

  func append(
    _ batch: EventBatch, _ commit: CommitID, after base: Position
  ) throws(LedgerError) -> AppendOutcome {
    defer { bell.ring() }
    return try shelf.withLock { (shelf) throws(LedgerError) in
      try shelf.append(batch, commit, after: base)
    }
  }

  func newerHead(than base: Position) throws(LedgerError) -> Position? {
    try moment.newerHead(than: base)
  }

  func endCommit() {}

  func changeSnapshot(
    _ changes: [TableChange], from old: SnapshotSummary, to new: SnapshotSummary,
    patience: Patience
  ) throws(LedgerError) -> Duration {
    try shelf.withLock { (shelf) throws(LedgerError) in
      try shelf.change(changes, from: old, to: new)
    }
    return .zero
  }

  func lockForCompaction() -> (any CompactionHold)? {
    isCompacting.withLock { isCompacting in
      guard !isCompacting else { return nil }
      isCompacting = true
      return Turn { [weak self] in self?.isCompacting.withLock { $0 = false } }
    }
  }

  // MARK: Waiting

  var changeCount: UInt32 { bell.count }
  func waitForChange(since count: UInt32, timeout: Duration) { bell.wait(count, timeout) }
  func interruptWaits() { bell.ring() }
  func close() { bell.ring() }
}

private final class Turn: CompactionHold {
  private let end: Mutex<(@Sendable () -> Void)?>

  init(_ end: @escaping @Sendable () -> Void) { self.end = Mutex(end) }

  func release() { end.withLock { $0.take() }?() }
}

/// Wakes the threads that wait for a change.
private final class Bell: @unchecked Sendable {
  private let condition = NSCondition()
  private var rings: UInt32 = 0

  var count: UInt32 { condition.withLock { rings } }

  func ring() {
    condition.withLock {
      rings &+= 1
      condition.broadcast()
    }
  }

  func wait(_ count: UInt32, _ timeout: Duration) {
    let end = Date(timeIntervalSinceNow: timeout / .seconds(1))
    condition.withLock {
      while rings == count, condition.wait(until: end) {}
    }
  }
}
