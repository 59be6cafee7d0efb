import Synchronization

/// What replay makes of a ledger's events, at one position.
///
/// It holds what changed since the ledger's snapshot, and looks up the rest. When the ledger is
/// compacted meanwhile, it is rebuilt at the same position, if what is stored allows it.
public final class ReplayedLedger: Sendable {
  /// The last event that was applied.
  public let position: Position

  private let state: Mutex<LedgerState>
  private let log: any LedgerSource
  /// Sessions that were asked for. Many promises are of few sessions.
  private let sessions = Mutex<[SessionID: SessionEntity]>([:])
  /// The promises that open handlers refer to, once that was asked for.
  private let referencedPromises = Mutex<Set<PromiseID>?>(nil)
  private let registry: any SessionRegistry

  init(_ state: LedgerState, of log: any LedgerSource, registry: any SessionRegistry) {
    // Where it was read may be good for a moment only.
    self.state = Mutex(state.reading(state.snapshot.reading(from: log)))
    self.log = log
    self.registry = registry
    position = state.position
  }

  // MARK: Looking up

  /// What the ledger knows about a promise, or `nil` if there is none.
  ///
  /// - Throws: ``LedgerError`` with `corrupt`, and with `eventsCompacted` if the ledger was compacted
  ///   past ``position`` meanwhile: replay again.
  public func record(of id: PromiseID) throws(LedgerError) -> PromiseRecord? {
    try naming(try record(of: id, PromiseEntity.self))
  }

  /// Adds the instance of the session that created the promise.
  func naming(_ record: PromiseRecord?) throws(LedgerError) -> PromiseRecord? {
    guard var record else { return nil }
    record.creatorInstance = try session(record.created.session)?.opened.instance
    return record
  }

  /// What the ledger knows about a handler, or `nil` if there is none.
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

  /// Whether a promise is resolved, and the session that created it can no longer consume it: it
  /// ended, its process is gone, or it is that of an app extension.
  ///
  /// A process that waits for the promise by its key or id cannot be seen from here.
  ///
  /// - Throws: As ``record(of:)-(PromiseID)``.
  public func isStale(_ record: PromiseRecord) throws(LedgerError) -> Bool {
    guard record.status == .resolved else { return false }
    return try isLeft(record)
  }

  /// Whether a promise is likely to stay pending for ever: it has no deadline, the session that created
  /// it cannot settle it any more, and no handler refers to it that can be called or has a call that is
  /// not finished.
  ///
  /// A promise that a program settles by its id or key, without a handler, cannot be told from one that
  /// was forgotten.
  ///
  /// - Throws: As ``record(of:)-(PromiseID)``.
  /// - Complexity: O(open handlers) the first time.
  public func isOrphaned(_ record: PromiseRecord) throws(LedgerError) -> Bool {
    guard record.status == .pending, record.deadline == nil, try isLeft(record) else {
      return false
    }
    return try !promisesOfOpenHandlers().contains(record.id)
  }

  private func promisesOfOpenHandlers() throws(LedgerError) -> Set<PromiseID> {
    if let known = referencedPromises.withLock({ $0 }) { return known }
    let found = try reading { (state) throws(LedgerError) in try state.promisesOfOpenHandlers() }
    referencedPromises.withLock { $0 = found }
    return found
  }

  /// Whether the creator will not come for the promise, also as far as its process tells.
  private func isLeft(_ record: PromiseRecord) throws(LedgerError) -> Bool {
    let id = record.created.session
    guard let creator = try session(id) else {
      return try reading { (state) throws(LedgerError) in try !state.isOpenAndOpaque(id) }
    }
    if creator.leavesItsPromises { return true }
    return try registry.findings(of: [creator]) == [.dead]
  }

  private func session(_ id: SessionID) throws(LedgerError) -> SessionEntity? {
    if let known = sessions.withLock({ $0[id] }) { return known }
    let found = try reading { (state) throws(LedgerError) in try state.readableSession(id) }
    sessions.withLock { $0[id] = found }
    return found
  }

  /// The fingerprint of everything that there is at ``position``, equal however it came about.
  ///
  /// Beside a compaction it may end in `eventsCompacted`; ``LedgerInspector/digests(through:progress:)``
  /// does not.
  ///
  /// - Parameter progress: Called now and then. It must not use a ledger.
  /// - Throws: As ``record(of:)-(PromiseID)``.
  /// - Complexity: O(entities that changed since the snapshot).
  public func digest(progress: () -> Void = {}) throws(LedgerError) -> StateDigest {
    try reading { (state) throws(LedgerError) in try state.digest(progress) }
  }

  /// The newest time of any event up to ``position``.
  var newestTime: Timestamp { state.withLock { $0.time } }

  func openSessionCount() throws(LedgerError) -> Int {
    try reading { (state) throws(LedgerError) in try state.openSessions().count }
  }

  // MARK: Walking

  /// So many entities are read in one view: beside a compaction each view takes a replay.
  private static let viewEntityCount = 10_000

  /// - Parameter progress: Called after each slice that was read, also if nothing in it is wanted. It must
  ///   not use a ledger.
  func forEachEntity(
    on paths: [EntityWalk.Path], progress: () -> Void, _ body: (LedgerEntity) throws -> Bool
  ) throws {
    for path in paths {
      var walk = EntityWalk(path)
      while let entities = try next(of: &walk, progress) {
        for entity in entities {
          guard try body(entity) else { return }
        }
      }
    }
  }

  private func next(
    of walk: inout EntityWalk, _ progress: () -> Void
  ) throws(LedgerError) -> [LedgerEntity]? {
    try reading { (state) throws(LedgerError) in
      var entities: [LedgerEntity] = []
      while entities.count < Self.viewEntityCount {
        do throws(LedgerError) {
          guard let slice = try walk.next(over: state) else {
            return entities.isEmpty ? nil : entities
          }
          entities += slice
        } catch {
          // What was read is handed over; damage comes again with the next slice.
          guard !entities.isEmpty, error.lookAgain != nil || error.code == .corrupt else {
            throw error
          }
          break
        }
        progress()
      }
      return entities
    }
  }

  /// Reads the value that is stored beside an event.
  func attachment(of position: Position, byteCount: Int) throws(LedgerError) -> [UInt8] {
    do throws(LedgerError) {
      return try log.attachment(of: position, byteCount: byteCount)
    } catch {
      guard [.corrupt, .eventsCompacted].contains(error.code) else { throw error }
      // Compaction removes a value once no entity of the snapshot refers to it. While the snapshot is
      // not later than this state, every value that this state refers to is still stored.
      let compacted = try log.snapshotSummary().position
      if compacted > self.position {
        throw .eventsCompacted(after: self.position, through: compacted)
      }
      throw error.code == .corrupt ? error : .missingValue(error)
    }
  }

  // MARK: Reading

  /// Runs `body` on the state over the snapshot as it is now; again if that moved meanwhile.
  func reading<R>(
    _ body: (LedgerState) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    // One without a snapshot holds everything.
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
  /// The same state, that looks into the same snapshot elsewhere.
  fileprivate func reading(_ snapshot: SnapshotReader) -> LedgerState {
    var state = self
    state.snapshot = snapshot
    return state
  }
}
