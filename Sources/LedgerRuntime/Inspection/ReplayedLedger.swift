import Synchronization

/// The state of a ledger at one position, replayed from its events.
///
/// It holds the changes since the ledger's snapshot and looks up the rest. If the ledger is compacted in the
/// meantime, the state is rebuilt at the same position, as long as the stored events allow it.
///
/// Its methods read files, and block the thread of the caller while they do.
public final class ReplayedLedger: Sendable {
  /// The last event that was applied.
  public let position: Position

  private let state: Mutex<LedgerState>
  let log: any LedgerSource
  /// Sessions that were already looked up: many promises share a few sessions.
  private let sessions = Mutex<[SessionID: SessionEntity]>([:])
  /// The promises that open handlers refer to, once they were requested.
  private let referencedPromises = Mutex<Set<PromiseID>?>(nil)
  let registry: any SessionRegistry

  init(_ state: LedgerState, of log: any LedgerSource, registry: any SessionRegistry) {
    // The place that the state was read from may be valid for a moment only.
    self.state = Mutex(state.reading(state.snapshot.reading(from: log)))
    self.log = log
    self.registry = registry
    position = state.position
  }

  // MARK: Looking up

  /// The summary of the ledger's snapshot.
  package func snapshotSummary() throws(LedgerError) -> SnapshotSummary {
    try log.snapshotSummary()
  }

  /// The record of a promise, or `nil` if there is none.
  ///
  /// - Throws: ``LedgerError`` with `corrupt`, and with `eventsDeleted` if the ledger was compacted past
  ///   ``position`` in the meantime: replay again.
  public func record(of id: PromiseID) throws(LedgerError) -> PromiseRecord? {
    try naming(try record(of: id, PromiseEntity.self))
  }

  /// Adds the instance of the session that created the promise.
  func naming(_ record: PromiseRecord?) throws(LedgerError) -> PromiseRecord? {
    guard var record else { return nil }
    record.creatorInstance = try session(record.created.session)?.opened.instance
    return record
  }

  /// The record of a handler, or `nil` if there is none.
  ///
  /// - Throws: As ``record(of:)-(PromiseID)``.
  public func record(of id: HandlerID) throws(LedgerError) -> HandlerRecord? {
    try record(of: id, HandlerEntity.self)
  }

  private func record<Entity: RecordedEntity>(
    of id: Entity.ID, _ type: Entity.Type
  ) throws(LedgerError) -> Entity.Record? {
    try reading { (state) throws(LedgerError) in try Entity.find(id, in: state) }?
      .record(attachment: attachment)
  }

  /// Whether a promise is resolved, but its creator can no longer consume it: that session ended, its process
  /// is gone, or it is an app extension's.
  ///
  /// This cannot detect a process that waits for the promise by its key or id.
  ///
  /// - Throws: As ``record(of:)-(PromiseID)``.
  public func isStale(_ record: PromiseRecord) throws(LedgerError) -> Bool {
    guard record.status == .resolved else { return false }
    return try isLeft(record)
  }

  /// Whether a promise is likely to stay pending forever.
  ///
  /// It has no deadline, the session that created it can no longer settle it, no other promises settle it, and
  /// no handler that refers to it can be called or has an unfinished call.
  ///
  /// A promise that a program settles by its id or key, without a handler, looks the same as a forgotten one.
  ///
  /// - Throws: As ``record(of:)-(PromiseID)``.
  /// - Complexity: O(open handlers) the first time.
  public func isOrphaned(_ record: PromiseRecord) throws(LedgerError) -> Bool {
    guard record.status == .pending, record.joint == nil, record.deadline == nil, try isLeft(record)
    else {
      return false
    }
    return try !promisesOfOpenCode().contains(record.id)
  }

  /// The same, with what is known of the processes of sessions.
  package func isOrphaned(
    _ promise: PromiseEntity, _ presences: SessionPresences
  ) throws(LedgerError) -> Bool {
    let creator = promise.created.session
    guard promise.status == .pending, !promise.isJoint, promise.deadline == nil,
      try isLeft(by: creator, ifDead: { _ in presences[creator] == .gone })
    else { return false }
    return try !promisesOfOpenCode().contains(promise.id)
  }

  private func promisesOfOpenCode() throws(LedgerError) -> Set<PromiseID> {
    if let known = referencedPromises.withLock({ $0 }) { return known }
    let found = try reading { (state) throws(LedgerError) in try state.promisesOfOpenCode() }
    referencedPromises.withLock { $0 = found }
    return found
  }

  /// Whether the creator will not return for the promise, taking into account whether its process is alive.
  private func isLeft(_ record: PromiseRecord) throws(LedgerError) -> Bool {
    try isLeft(by: record.created.session) { (creator) throws(LedgerError) in
      try registry.findings(of: [creator]) == [.dead]
    }
  }

  private func isLeft(
    by id: SessionID, ifDead isDead: (SessionEntity) throws(LedgerError) -> Bool
  ) throws(LedgerError) -> Bool {
    guard let creator = try session(id) else {
      return try reading { (state) throws(LedgerError) in try !state.isOpenAndOpaque(id) }
    }
    if creator.leavesItsPromises { return true }
    return try isDead(creator)
  }

  func session(_ id: SessionID) throws(LedgerError) -> SessionEntity? {
    if let known = sessions.withLock({ $0[id] }) { return known }
    let found = try reading { (state) throws(LedgerError) in try state.readableSession(id) }
    sessions.withLock { $0[id] = found }
    return found
  }

  /// The fingerprint of everything that exists at ``position``; equal states have equal fingerprints,
  /// whatever their history.
  ///
  /// During a compaction this can fail with `eventsDeleted`; ``LedgerInspector/digests(through:)``
  /// cannot.
  ///
  /// - Parameter progress: Called periodically. It must not use a ledger.
  /// - Throws: As ``record(of:)-(PromiseID)``.
  /// - Complexity: O(entities that changed since the snapshot).
  public func digest(progress: () -> Void = {}) throws(LedgerError) -> StateDigest {
    try reading { (state) throws(LedgerError) in try state.digest(progress) }
  }

  /// The newest time of any event up to ``position``.
  package var newestTime: Timestamp { state.withLock { $0.time } }

  func openSessionCount() throws(LedgerError) -> Int {
    try reading { (state) throws(LedgerError) in try state.openSessions().count }
  }

  // MARK: Walking

  /// The number of entities that are read in one view. During a compaction, each view requires a replay.
  private static let viewEntityCount = 10_000

  /// - Parameters:
  ///   - start: Entities up to this position, in the order of the walk, are skipped.
  ///   - progress: Called after each slice, even if it contains no match. It must not use a ledger.
  func forEachEntity(
    on paths: [EntityWalk.Path], after start: Position = .start, progress: () -> Void,
    _ body: (LedgerEntity) throws -> Bool
  ) throws {
    for path in paths {
      var walk = EntityWalk(path, after: start)
      while let slices = try next(of: &walk, progress) {
        for slice in slices {
          for entity in slice {
            guard try body(entity) else { return }
          }
        }
      }
    }
  }

  /// The next entities, in slices.
  private func next(
    of walk: inout EntityWalk, _ progress: () -> Void
  ) throws(LedgerError) -> [[LedgerEntity]]? {
    try reading { (state) throws(LedgerError) in
      var slices: [[LedgerEntity]] = []
      var count = 0
      while count < Self.viewEntityCount {
        do throws(LedgerError) {
          guard let slice = try walk.next(over: state) else { return count == 0 ? nil : slices }
          slices.append(slice)
          count += slice.count
        } catch {
          // The entities read so far are handed over; the next slice reports the damage again.
          guard count > 0, error.lookAgain != nil || error.code == .corrupt else {
            throw error
          }
          break
        }
        progress()
      }
      return slices
    }
  }

  /// Reads the value that is stored beside an event.
  ///
  /// - Throws: As ``record(of:)-(PromiseID)``.
  package func attachment(of position: Position, byteCount: Int) throws(LedgerError) -> [UInt8] {
    do throws(LedgerError) {
      return try log.attachment(of: position, byteCount: byteCount)
    } catch {
      guard [.corrupt, .eventsDeleted].contains(error.code) else { throw error }
      // Compaction removes a value once no entity of the snapshot refers to it. While the snapshot is
      // not later than this state, every value that this state refers to is still stored.
      let compacted = try log.snapshotSummary().position
      if compacted > self.position {
        throw .eventsDeleted(after: self.position, through: compacted)
      }
      throw error.code == .corrupt ? error : .missingValue(error)
    }
  }

  // MARK: Reading

  /// Runs `body` on the state over the current snapshot, and again if the snapshot moved meanwhile.
  func reading<R>(
    _ body: (LedgerState) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    // A state without a snapshot holds everything.
    let known = state.withLock { $0 }
    guard !known.snapshot.isEmpty else { return try body(known) }
    return try log.withView { (view) throws(LedgerError) in
      while true {
        do throws(LedgerError) {
          return try body(current(in: view))
        } catch {
          guard error.lookAgain == .snapshotMoved else { throw error }
        }
      }
    }
  }

  /// The state, rebuilt if the snapshot below it has moved.
  private func current(in view: any LedgerSource) throws(LedgerError) -> LedgerState {
    let current = state.withLock { $0 }
    guard !current.snapshot.isEmpty else { return current }
    let snapshot = try SnapshotReader(view)
    if snapshot.position == current.base { return current.reading(snapshot) }
    let anew = try LedgerState.replayed(from: view, through: position)
    let kept = anew.reading(anew.snapshot.reading(from: log))
    state.withLock { $0 = kept }
    return anew
  }
}

extension LedgerState {
  /// The same state, reading the same snapshot from another source.
  fileprivate func reading(_ snapshot: SnapshotReader) -> LedgerState {
    var state = self
    state.snapshot = snapshot
    return state
  }
}
