import Synchronization

/// What replay makes of a ledger's events, at one position.
///
/// It holds what changed since the ledger's snapshot, and looks up the rest. When the ledger is
/// compacted meanwhile, it is rebuilt at the same position, if what is stored allows it.
public final class ReplayedLedger: Sendable {
  /// The last event that was applied.
  public let position: Position

  private let state: Mutex<LedgerState>
  private let log: any EventSource & SnapshotSource & Sendable
  /// `nil` for a ledger in memory.
  let directory: LedgerDirectory?

  init(
    _ state: LedgerState, of log: any EventSource & SnapshotSource & Sendable,
    in directory: LedgerDirectory?
  ) {
    self.state = Mutex(state)
    self.log = log
    self.directory = directory
    position = state.position
  }

  // MARK: Looking up

  /// What the ledger knows about a promise, or `nil` if there is none.
  ///
  /// - Throws: ``LedgerError`` with `corrupt`, and with `eventsCompacted` if the ledger was compacted
  ///   past ``position`` meanwhile: replay again.
  public func record(of id: PromiseID) throws(LedgerError) -> PromiseRecord? {
    guard
      let entity = try reading({ (state) throws(LedgerError) in try state.promise(id) })
    else { return nil }
    return try entity.record(attachment: attachment)
  }

  /// What the ledger knows about a handler, or `nil` if there is none.
  ///
  /// - Throws: As ``record(of:)-(PromiseID)``.
  public func record(of id: HandlerID) throws(LedgerError) -> HandlerRecord? {
    guard
      let entity = try reading({ (state) throws(LedgerError) in try state.handler(id) })
    else { return nil }
    return try HandlerRecord(entity, attachment: attachment)
  }

  /// Whether a promise is resolved, and whoever created it cannot consume it any more: its session
  /// ended, its process is gone, or it is an app extension.
  ///
  /// A process that waits for the promise by its key or id cannot be seen from here.
  ///
  /// - Throws: As ``record(of:)-(PromiseID)``.
  public func isStale(_ record: PromiseRecord) throws(LedgerError) -> Bool {
    guard record.status == .resolved else { return false }
    let session = record.created.session
    guard let creator = try reading({ (state) throws(LedgerError) in try state.session(session) })
    else { return true }
    if creator.isEnded || creator.opened.role == .appExtension { return true }
    guard creator.status == .open, let directory else { return false }
    return SessionLock.look(directory, creator.id) == .dead
  }

  /// The fingerprint of everything that there is at ``position``, equal however it came about.
  ///
  /// Beside a compaction it may have to begin anew, and end in `eventsCompacted`;
  /// ``LedgerInspector/digests(through:progress:)`` does not.
  ///
  /// - Parameter progress: Called now and then.
  /// - Throws: As ``record(of:)-(PromiseID)``.
  /// - Complexity: O(entities that changed since the snapshot).
  public func digest(progress: () -> Void = {}) throws(LedgerError) -> StateDigest {
    try reading { (state) throws(LedgerError) in try state.digest(progress) }
  }

  func openSessionCount() throws(LedgerError) -> Int {
    try reading { (state) throws(LedgerError) in try state.openSessions().count }
  }

  // MARK: Walking

  /// - Parameter progress: Called after each slice that was read, also if nothing in it is wanted.
  func forEachEntity(
    on path: EntityWalk.Path, progress: () -> Void, _ body: (LedgerEntity) throws -> Bool
  ) throws {
    var walk = EntityWalk(over: state.withLock { $0 }, path)
    while true {
      let slice: [LedgerEntity]?
      do throws(LedgerError) {
        slice = try walk.next()
      } catch {
        guard error.code == .snapshotMoved else { throw error }
        walk = EntityWalk(over: try rebuilt(), path, after: walk.last)
        continue
      }
      guard let slice else { return }
      progress()
      for entity in slice {
        guard try body(entity) else { return }
      }
    }
  }

  /// Reads the value that is stored beside an event.
  func attachment(of position: Position, byteCount: Int) throws(LedgerError) -> [UInt8] {
    do throws(LedgerError) {
      return try log.attachment(of: position, byteCount: byteCount)
    } catch {
      // What an entity owned then may be gone by now.
      let (known, now) = (state.withLock { $0.snapshot.summary }, try log.snapshotSummary())
      guard error.code == .corrupt, known != now else { throw error }
      throw .eventsCompacted(after: position, through: now.position)
    }
  }

  // MARK: Reading

  func reading<R>(
    _ body: (LedgerState) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    var current = state.withLock { $0 }
    while true {
      do throws(LedgerError) {
        return try body(current)
      } catch {
        guard error.code == .snapshotMoved else { throw error }
        current = try rebuilt()
      }
    }
  }

  /// The same state on the snapshot as it is now.
  private func rebuilt() throws(LedgerError) -> LedgerState {
    let anew = try LedgerState.replayed(from: log, through: position)
    state.withLock { $0 = anew }
    return anew
  }
}
