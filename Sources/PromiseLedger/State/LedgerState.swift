/// The state of a ledger at one position: a fold of all events up to it.
///
/// A pure value: it takes no clock, no randomness and no I/O, so equal events make equal states.
package struct LedgerState: Sendable {
  /// The last event applied.
  package private(set) var position = Position.start
  /// The newest time of any event: decisions never take an earlier one.
  package private(set) var time = Timestamp(nanosecondsSinceEpoch: .min)
  package private(set) var ledgerID: LedgerID?
  package private(set) var promises = PromiseTable()
  package private(set) var handlers = HandlerTable()
  package private(set) var sessions: [SessionID: SessionEntity] = [:]
  /// Subjects that may not be written to, and the event that forbids it.
  package private(set) var blocked: [EntityID: ReplayProblem] = [:]
  private var deadlines = DeadlineQueue()
  private let snapshot: any SnapshotReader

  package init(snapshot: any SnapshotReader = EmptySnapshot()) {
    self.snapshot = snapshot
  }

  package func promise(_ id: PromiseID) -> PromiseEntity? {
    promises[id] ?? snapshot.promise(id)
  }

  package func handler(_ id: HandlerID) -> HandlerEntity? {
    handlers[id] ?? snapshot.handler(id)
  }

  // MARK: Replay

  /// Applies the next event.
  ///
  /// - Throws: `corrupt` if the event is not the next one.
  package mutating func apply(_ event: borrowing EventView) throws(LedgerError) {
    guard event.position == position.advanced(by: 1) else {
      throw LedgerError(
        .corrupt,
        "The event at position \(event.position) follows position \(position): events are missing. Restore the ledger from a copy."
      )
    }
    position = event.position
    time = max(time, event.time)
    do throws(ReplayProblem) {
      try applyToSubject(event)
    } catch {
      if blocked[event.subject] == nil { blocked[event.subject] = error }
    }
  }

  private mutating func applyToSubject(_ event: borrowing EventView) throws(ReplayProblem) {
    switch event.kind {
    case .promiseCreated, .promiseResolved, .promiseConsumed, .promiseAbandoned:
      let id = PromiseID(entityID: event.subject)
      if let place = promises.place(of: id) {
        try promises.apply(event, at: place)
      } else if var entity = snapshot.promise(id) {
        try entity.apply(event)
        promises.insert(entity)
      } else {
        let entity = try PromiseEntity(creating: event)
        if let deadline = entity.deadline { deadlines.insert(deadline, id) }
        promises.insert(entity)
      }
      assert(promises.isConsistent(id), "the table of promises disagrees with promise \(id)")
    case .handlerCreated, .handlerRebound, .handlerCallStarted, .handlerCallReleased,
      .handlerCallFinished, .handlerInvalidated, .handlerInvalidationFinished:
      try applyToHandler(event)
    case .sessionOpened, .sessionFrozen, .sessionUnfrozen, .sessionClosed:
      let id = SessionID(entityID: event.subject)
      if sessions[id] != nil {
        try sessions[id]?.apply(event)
      } else {
        sessions[id] = try SessionEntity(opening: event)
      }
    case .ledgerCreated:
      let _: LedgerCreated = try event.decode()
      ledgerID = LedgerID(entityID: event.subject)
    default:
      throw ReplayProblem(.unsupported(event.kind, version: event.version), at: event.position)
    }
  }

  private mutating func applyToHandler(_ event: borrowing EventView) throws(ReplayProblem) {
    let id = HandlerID(entityID: event.subject)
    if handlers[id] != nil {
      try handlers.apply(event, to: id)
    } else if var entity = snapshot.handler(id) {
      try entity.apply(event)
      handlers.update(entity)
    } else {
      handlers.update(try HandlerEntity(creating: event))
    }
    assert(handlers.isConsistent(id), "the table of handlers disagrees with handler \(id)")
  }

  // MARK: Staged changes

  /// Takes over what a commit made durable.
  ///
  /// - Precondition: `layer` was staged on exactly this state.
  package mutating func merge(_ layer: StagedLayer) {
    assert(layer.basePosition == position, "a staged layer was merged into another state")
    position = layer.position
    time = max(time, layer.time)
    for id in layer.changedPromises {
      guard let entity = layer.promises[id] else { continue }
      let isNew = promises.update(entity)
      if isNew, let deadline = entity.deadline { deadlines.insert(deadline, id) }
      assert(promises.isConsistent(id), "the table of promises disagrees with promise \(id)")
    }
    for id in layer.changedHandlers {
      guard let entity = layer.handlers[id] else { continue }
      handlers.update(entity)
      assert(handlers.isConsistent(id), "the table of handlers disagrees with handler \(id)")
    }
    sessions.merge(layer.sessions) { $1 }
    blocked.merge(layer.blocked) { old, _ in old }
    ledgerID = layer.ledgerID ?? ledgerID
  }

  // MARK: Deadlines

  /// The earliest deadline of a pending promise that may be written to.
  package mutating func nextDeadline() -> (deadline: Timestamp, id: PromiseID)? {
    while let first = deadlines.first {
      if canTimeOut(first.id) { return first }
      deadlines.removeFirst()
    }
    return nil
  }

  /// Up to `limit` pending promises whose deadline is at or before `now`, the earliest first.
  ///
  /// Promises that may not be written to are left out, so that they never keep others waiting.
  package func due(at now: Timestamp, limit: Int) -> [PromiseID] {
    var queue = deadlines
    var ids: [PromiseID] = []
    while ids.count < limit, let first = queue.first, first.deadline <= now {
      if canTimeOut(first.id) { ids.append(first.id) }
      queue.removeFirst()
    }
    return ids
  }

  private func canTimeOut(_ id: PromiseID) -> Bool {
    promise(id)?.status == .pending && blocked[id.entityID] == nil
  }
}
