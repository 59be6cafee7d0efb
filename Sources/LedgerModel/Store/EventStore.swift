/// Where the events of a ledger are kept: the seam between the ledger and a storage engine.
///
/// Nothing above knows the engine. A writer looks through ``view(_:)``, decides without the store, and
/// appends with ``append(_:_:after:)`` at the position that it decided on. Between ``beginCommit(_:)``
/// and ``endCommit()`` an engine with one writer keeps all others out, so that the head stays; an
/// optimistic one lets the head move, and the writer decides anew.
package protocol EventStore: LedgerSource, AnyObject {
  /// The id of the ledger that is kept here.
  var ledgerID: LedgerID { get }

  /// Whether an answer takes long to come, as over a network. What reads the store then does so on a
  /// thread of its own, and none of Swift's is blocked meanwhile.
  var isRemote: Bool { get }

  /// When the ledger was created.
  var createdAt: Timestamp { get }

  /// The time that deadlines and retention go by: the store's, as far as it has one of its own. It
  /// never waits for the store.
  func now() -> Timestamp

  /// Answers a request from one consistent view of events and snapshot.
  ///
  /// What is damaged takes its error along; only a look at it fails.
  ///
  /// - Throws: `closed`, `ioFailure`, `unavailable`; `corrupt` if the snapshot cannot be read at all.
  func view(_ request: ViewRequest) throws(LedgerError) -> StoreView

  /// Begins a commit; ``endCommit()`` must follow, on the same thread.
  ///
  /// - Parameter patience: How long to wait for another writer.
  /// - Throws: `writerStalled`, `interrupted`, `sealed`, `closed`, `corrupt`, `ioFailure`,
  ///   `unavailable`, `notDurable`. Then the commit did not begin.
  func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn

  /// Appends events, atomically and durably, if the log ends at `base`.
  ///
  /// - Parameters:
  ///   - batch: At least one event.
  ///   - commit: Recognises the commit should its acknowledgement get lost.
  ///   - base: The position that the events were decided on.
  /// - Throws: `ledgerFull`, `diskFull`, `ioFailure`, `sealed`, `unavailable`, `notDurable`, `corrupt` if
  ///   the log ends before `base`, `commitOutcomeUnknown`. Nothing was appended, unless it is
  ///   `commitOutcomeUnknown`. The session goes on with the next commit.
  func append(
    _ batch: EventBatch, _ commit: CommitID, after base: Position
  ) throws(LedgerError) -> AppendOutcome

  /// Ends a commit, with or without events, and lets other writers on.
  func endCommit()

  /// Changes the snapshot, or deletes events that it holds, atomically and durably.
  ///
  /// - Parameters:
  ///   - changes: What is put and deleted, in the order of tables and keys.
  ///   - old: Where the snapshot must stand.
  ///   - new: Where it stands afterwards.
  ///   - patience: How long to wait for a writer.
  /// - Returns: How long other writers were locked out.
  /// - Throws: `snapshotMoved` if the snapshot stands elsewhere, `corrupt` if the tables do not hold as
  ///   many entries as the snapshot counts, before or afterwards, and what a commit throws; nothing was
  ///   changed then, unless it is `commitOutcomeUnknown`.
  func changeSnapshot(
    _ changes: [TableChange], from old: SnapshotSummary, to new: SnapshotSummary,
    patience: Patience
  ) throws(LedgerError) -> Duration

  /// Takes the lock that makes one session at a time, of all processes, compact the ledger.
  ///
  /// - Returns: `nil` if it is held already, by this session too. A hold whose process dies counts no
  ///   more.
  func lockForCompaction() throws(LedgerError) -> (any CompactionHold)?

  /// The size in bytes of everything that is stored, without free space.
  func usedByteCount() throws(LedgerError) -> Int

  /// A number that changes whenever the head may have moved.
  var changeCount: UInt32 { get }

  /// Blocks until the head may have moved since `count`, or the time is over.
  ///
  /// A hint: it may return early or late, and looking again is always right.
  func waitForChange(since count: UInt32, timeout: Duration)

  /// Makes a waiting ``waitForChange(since:timeout:)`` and a writer that waits for its turn return.
  func interruptWaits()

  /// Frees what processes that are gone still keep from being used again, if the store leaves that to
  /// its sessions. It is called now and then, and before a compaction.
  ///
  /// - Returns: How many readers there were.
  @discardableResult
  func reclaimFromTheDead() -> Int

  /// Lets go of every lock, map and descriptor. Calls that wait for an answer throw `closed`.
  func close()
}

extension EventStore {
  package func reclaimFromTheDead() -> Int { 0 }
}

/// How long a writer waits for another one.
package struct Patience {
  package var timeout: Duration
  /// How long the oldest command will then have waited, for the error.
  package var waitInAll: Duration
  /// Asked again and again while waiting: whether something more urgent came up.
  package var isOver: () -> Bool

  package init(
    _ timeout: Duration, waitInAll: Duration? = nil, isOver: @escaping () -> Bool = { false }
  ) {
    self.timeout = timeout
    self.waitInAll = waitInAll ?? timeout
    self.isOver = isOver
  }
}

/// What a writer gets when its commit begins.
package struct CommitTurn: Sendable {
  /// The position of the last event.
  package let head: Position
  /// The commit that wrote it; `nil` if there is none.
  package let headCommit: CommitID?
  /// How much the commit may add.
  package let room: CommitRoom

  package init(head: Position, _ headCommit: CommitID?, room: CommitRoom) {
    self.head = head
    self.headCommit = headCommit
    self.room = room
  }
}

/// What became of events that were to be appended.
package enum AppendOutcome: Sendable, Hashable {
  /// They are durable; the last one has this position.
  case appended(through: Position)
  /// Nothing was appended: another writer came first, and the log now ends here.
  case headMoved(to: Position)
}

/// How many bytes of events a commit may still add.
package struct CommitRoom: Sendable, Hashable {
  /// For events that make the ledger grow.
  package var bytes: Int
  /// For events that a full ledger must still take: consumptions and the ends of things.
  package var bytesWithReserve: Int

  package init(bytes: Int, bytesWithReserve: Int) {
    self.bytes = bytes
    self.bytesWithReserve = bytesWithReserve
  }

  package static let unlimited = CommitRoom(bytes: .max, bytesWithReserve: .max)
}
