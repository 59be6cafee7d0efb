/// The store of a ledger's events: the boundary between the ledger and a storage engine.
///
/// The layers above do not know the engine. A writer reads through ``view(_:)``, decides without the store,
/// and appends with ``append(_:_:after:)`` at the position on which it decided, or confirms that position with
/// ``newerHead(than:)`` if nothing is to be appended. Between ``beginCommit(_:)`` and ``endCommit()``, an
/// engine with a single writer keeps all other writers out, so that the head stays; an optimistic engine lets
/// the head move, and the writer decides again.
///
/// You can keep ledgers in a store of your own: see ``Ledger/open(_:_:as:configuration:)``. `StoreContract` of
/// `LedgerRuntimeTesting` checks it. This protocol and those around it may change with each release.
public protocol EventStore: LedgerSource, AnyObject {
  /// The id of the stored ledger.
  var ledgerID: LedgerID { get }

  /// Whether responses take long, for example over a network. The store is then read on a dedicated thread,
  /// so that none of Swift's threads is blocked in the meantime.
  var isRemote: Bool { get }

  /// The time at which the ledger was created.
  var createdAt: Timestamp { get }

  /// Returns the time that deadlines and retention use: the store's time, if the store has a clock of its
  /// own. It never waits for the store.
  func now() -> Timestamp

  /// Answers a request from one consistent view of events and snapshot.
  ///
  /// Damaged items carry their error; only accessing them fails.
  ///
  /// - Throws: `closed`, `ioFailure`, `unavailable`; `corrupt` if the snapshot cannot be read at all.
  func view(_ request: ViewRequest) throws(LedgerError) -> StoreView

  /// Begins a commit; ``endCommit()`` must follow on the same thread.
  ///
  /// - Parameter patience: The time to wait for another writer.
  /// - Throws: `writerStalled`, `interrupted`, `sealed`, `closed`, `corrupt`, `ioFailure`, `unavailable`,
  ///   `notDurable`. In each case, the commit did not begin.
  func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn

  /// Appends events, atomically and durably, if the log ends at `base`.
  ///
  /// - Parameters:
  ///   - batch: At least one event.
  ///   - commit: Identifies the commit if its acknowledgement is lost.
  ///   - base: The position on which the events were decided.
  /// - Throws: `ledgerFull`, `diskFull`, `ioFailure`, `sealed`, `unavailable`, `notDurable`, `corrupt` if the
  ///   log ends before `base`, `commitOutcomeUnknown`. Nothing was appended, unless the error is
  ///   `commitOutcomeUnknown`. The session continues with the next commit.
  func append(
    _ batch: EventBatch, _ commit: CommitID, after base: Position
  ) throws(LedgerError) -> AppendOutcome

  /// Confirms the state on which a group without events was decided: its answers must not be outdated.
  ///
  /// An engine that keeps other writers out during a commit has nothing to look up.
  ///
  /// - Parameter base: The position on which the answers were decided.
  /// - Returns: The position at which the log ends if that is no longer `base`; `nil` if it is.
  /// - Throws: `ioFailure`, `sealed`, `unavailable`, `corrupt` if the log ends before `base`.
  func newerHead(than base: Position) throws(LedgerError) -> Position?

  /// Ends a commit, with or without events, and lets other writers continue.
  func endCommit()

  /// Changes the snapshot, or deletes events that it contains, atomically and durably.
  ///
  /// - Parameters:
  ///   - changes: The entries to store and delete, in the order of tables and keys.
  ///   - old: The required summary of the snapshot before the change.
  ///   - new: The summary of the snapshot after the change.
  ///   - patience: The time to wait for a writer.
  /// - Returns: The time for which other writers were locked out.
  /// - Throws: `snapshotMoved` if the snapshot has another summary, `corrupt` if the tables do not have as
  ///   many entries as the snapshot counts, before or after the change, and the errors of a commit. Nothing
  ///   was changed, unless the error is `commitOutcomeUnknown`.
  func changeSnapshot(
    _ changes: [TableChange], from old: SnapshotSummary, to new: SnapshotSummary,
    patience: Patience
  ) throws(LedgerError) -> Duration

  /// Takes the lock that lets only one session, among all processes, compact the ledger at a time.
  ///
  /// - Returns: `nil` if the lock is already held, by this session or another one. A lock is released when
  ///   its process dies.
  func lockForCompaction() throws(LedgerError) -> (any CompactionHold)?

  /// Whether the log ends with the event at `position`, which `commit` wrote, and the snapshot is at
  /// `snapshot`. A store that cannot tell this faster than by a view returns `false`.
  ///
  /// - Throws: The errors of a view.
  func isUnchanged(
    since position: Position, _ commit: CommitID, snapshot: Position
  ) throws(LedgerError) -> Bool

  /// Returns the size of all stored data, without free space, in bytes.
  func usedByteCount() throws(LedgerError) -> Int

  /// A number that changes whenever the head may have moved, except perhaps by a commit of this session through which
  /// ``waitForChange(since:timeout:)`` may sleep on.
  var changeCount: UInt32 { get }

  /// Blocks until the head may have moved since `count`, or the timeout expires.
  ///
  /// It may sleep on through a commit by this session that does not need a look for deadlines
  /// (``EventBatch/needsDeadlineCheck``).
  ///
  /// The result is a hint: the method may return early or late, and checking the head is always correct.
  func waitForChange(since count: UInt32, timeout: Duration)

  /// Wakes a waiting ``waitForChange(since:timeout:)`` and a writer that waits for its turn.
  func interruptWaits()

  /// Frees resources that processes which are gone still hold, if the store leaves this task to its sessions.
  /// It is called now and then, and before a compaction.
  ///
  /// - Returns: The number of readers that there were.
  @discardableResult
  func reclaimFromTheDead() -> Int

  /// Releases every lock, map and descriptor. Calls that wait for a response throw `closed`.
  func close()
}

extension EventStore {
  /// The store cannot tell.
  public func isUnchanged(
    since position: Position, _ commit: CommitID, snapshot: Position
  ) throws(LedgerError) -> Bool { false }

  /// There is nothing to free.
  public func reclaimFromTheDead() -> Int { 0 }
}

/// The limits of a writer's wait for another writer.
public struct Patience: Sendable {
  /// The time to wait.
  public var timeout: Duration
  /// The total time that the oldest command will have waited by then, for the error.
  public var waitInAll: Duration
  /// Whether the commit itself must not last longer than the timeout, either. If it waits for a standby, its outcome
  /// is then unknown.
  public var limitsCommit: Bool
  /// Called repeatedly during the wait; returns whether a more urgent task came up.
  public var isOver: @Sendable () -> Bool

  /// Makes limits; by default those of a command that has not waited before.
  public init(
    _ timeout: Duration, waitInAll: Duration? = nil, limitsCommit: Bool = false,
    isOver: @escaping @Sendable () -> Bool = { false }
  ) {
    self.timeout = timeout
    self.waitInAll = waitInAll ?? timeout
    self.limitsCommit = limitsCommit
    self.isOver = isOver
  }
}

/// The information that a writer receives when its commit begins.
public struct CommitTurn: Sendable {
  /// The position of the last event.
  public let head: Position
  /// The commit that wrote the last event; `nil` if there is none.
  public let headCommit: CommitID?
  /// The number of bytes that the commit may add.
  public let room: CommitRoom

  /// Describes the end of the log on which a commit is decided.
  public init(head: Position, _ headCommit: CommitID?, room: CommitRoom) {
    self.head = head
    self.headCommit = headCommit
    self.room = room
  }
}

/// The result of appending events.
public enum AppendOutcome: Sendable, Hashable {
  /// The events are durable; the last one has this position.
  case appended(through: Position)
  /// Nothing was appended: another writer came first, and the log now ends at this position.
  case headMoved(to: Position)
}

/// The number of bytes of events that a commit may still add.
public struct CommitRoom: Sendable, Hashable {
  /// The room for events that make the ledger grow.
  public var bytes: Int
  /// The room for events that a full ledger must still accept: consumptions, and events that end an entity or
  /// a call.
  public var bytesWithReserve: Int
  /// Whether so little room is left that no more work should be started: what runs needs it.
  public var isScarce: Bool

  /// Makes the room that is left.
  public init(bytes: Int, bytesWithReserve: Int, isScarce: Bool = false) {
    self.bytes = bytes
    self.bytesWithReserve = bytesWithReserve
    self.isScarce = isScarce
  }

  /// Room for any number of bytes.
  public static let unlimited = CommitRoom(bytes: .max, bytesWithReserve: .max)
}
