/// Where the events of a ledger are kept: the seam between the ledger and a storage engine.
///
/// Nothing above knows the engine. Its heart is ``commit(_:after:patience:catchUp:decide:)``. An
/// engine with one writer runs it inside its write lock; an optimistic one reads, decides, appends
/// with an expected head, and on a conflict reads and decides again.
package protocol EventStore: LedgerSource, AnyObject {
  /// The id of the ledger that is kept here.
  var ledgerID: LedgerID { get }

  /// When the ledger was created.
  var createdAt: Timestamp { get }

  /// Appends what `decide` makes of the newest state, atomically and durably.
  ///
  /// - Parameters:
  ///   - commit: Recognises the commit should its acknowledgement get lost.
  ///   - position: What the caller has applied already.
  ///   - patience: How long to wait for another writer.
  ///   - catchUp: Gets every frame with events after `position`, in order.
  ///   - decide: Gets the head and the room left, and returns the events to append, none for no
  ///     commit. It may be called again, after another catch-up, if an engine lost a race.
  /// - Returns: The new head.
  /// - Throws: `writerStalled`, `ledgerFull`, `diskFull`, `ioFailure`, `commitOutcomeUnknown`, and
  ///   what the closures throw. Nothing was appended, unless it is `commitOutcomeUnknown`.
  func commit(
    _ commit: CommitID, after position: Position, patience: Patience,
    catchUp: (FrameView) throws(LedgerError) -> Void,
    decide: (Position, CommitRoom) throws(LedgerError) -> EventBatch
  ) throws(LedgerError) -> Position

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

  /// Frees what readers in processes that are gone still keep from being used again.
  ///
  /// - Returns: How many there were.
  @discardableResult
  func releaseDeadReaders() -> Int

  /// Lets go of every lock, map and descriptor.
  func close()
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
