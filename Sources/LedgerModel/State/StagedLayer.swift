/// The changes that a commit in the making has made so far, over a durable state.
///
/// Only the writer sees it. It is merged after the commit succeeded and dropped otherwise, so no
/// reader ever sees an event that is not durable.
package struct StagedLayer: Sendable {
  /// The position of the state below.
  package let basePosition: Position
  package private(set) var position: Position
  package private(set) var time: Timestamp
  package private(set) var ledgerID: LedgerID?
  package private(set) var promises: [PromiseID: PromiseEntity] = [:]
  package private(set) var handlers: [HandlerID: HandlerEntity] = [:]
  package private(set) var sessions: [SessionID: SessionEntity] = [:]
  /// The removals of records, with the positions of their events.
  package private(set) var retentions: [(event: RetentionApplied, position: Position)] = []
  /// The promises changed, in the order of their first change.
  package private(set) var changedPromises: [PromiseID] = []

  /// The handlers changed, in the order of their first change.
  package private(set) var changedHandlers: [HandlerID] = []

  package init(over base: LedgerState) {
    basePosition = base.position
    position = base.position
    time = base.time
  }

  /// Applies an event of the commit through the same reducer that replay uses.
  ///
  /// - Throws: `internalInconsistency` if the event does not fit: a decision was wrong.
  package mutating func apply(
    _ event: borrowing EventView, over base: LedgerState
  ) throws(LedgerError) {
    let below = try entity(event.subject, of: event.kind, over: base)
    position = event.position
    time = max(time, event.time)
    do throws(ReplayProblem) {
      try applyToSubject(event, below)
    } catch {
      throw LedgerError(
        .internalInconsistency,
        "A decision made an event that does not fit: \(error.reason). Nothing was written; please report this."
      )
    }
  }

  /// The subject of an event as the state below knows it, unless it is staged.
  private func entity(
    _ id: EntityID, of kind: EventKind, over base: LedgerState
  ) throws(LedgerError) -> LedgerEntity? {
    switch kind {
    case .promiseCreated, .promiseResolved, .promiseConsumed, .promiseAbandoned:
      let id = PromiseID(entityID: id)
      return promises[id] == nil ? try base.promiseToChange(id).map(LedgerEntity.promise) : nil
    case .handlerCreated, .handlerRebound, .handlerCallStarted, .handlerCallReleased,
      .handlerCallFinished, .handlerInvalidated, .handlerInvalidationFinished:
      let id = HandlerID(entityID: id)
      return handlers[id] == nil ? try base.handlerToChange(id).map(LedgerEntity.handler) : nil
    case .sessionOpened, .sessionFrozen, .sessionUnfrozen, .sessionClosed:
      let id = SessionID(entityID: id)
      return sessions[id] == nil ? try base.sessionToChange(id).map(LedgerEntity.session) : nil
    default:
      return nil
    }
  }

  private mutating func applyToSubject(
    _ event: borrowing EventView, _ below: LedgerEntity?
  ) throws(ReplayProblem) {
    switch event.kind {
    case .promiseCreated, .promiseResolved, .promiseConsumed, .promiseAbandoned:
      let id = PromiseID(entityID: event.subject)
      if promises[id] == nil {
        changedPromises.append(id)
        if case .promise(let entity)? = below { promises[id] = entity }
      }
      if promises[id] == nil {
        promises[id] = try PromiseEntity(creating: event)
      } else {
        try promises[id]?.apply(event)
      }
    case .handlerCreated, .handlerRebound, .handlerCallStarted, .handlerCallReleased,
      .handlerCallFinished, .handlerInvalidated, .handlerInvalidationFinished:
      let id = HandlerID(entityID: event.subject)
      if handlers[id] == nil {
        changedHandlers.append(id)
        if case .handler(let entity)? = below { handlers[id] = entity }
      }
      if handlers[id] == nil {
        handlers[id] = try HandlerEntity(creating: event)
      } else {
        try handlers[id]?.apply(event)
      }
    case .sessionOpened, .sessionFrozen, .sessionUnfrozen, .sessionClosed:
      let id = SessionID(entityID: event.subject)
      if sessions[id] == nil, case .session(let entity)? = below { sessions[id] = entity }
      if sessions[id] == nil {
        sessions[id] = try SessionEntity(opening: event)
      } else {
        try sessions[id]?.apply(event)
      }
    case .ledgerCreated:
      ledgerID = try LedgerID(creating: event, over: ledgerID)
    case .snapshotTaken, .eventsCompacted:
      break
    case .retentionApplied:
      retentions.append((event: try event.decode(), position: event.position))
    default:
      throw ReplayProblem(.unsupported(event.kind, version: event.version), at: event.position)
    }
  }

  /// Whether retention, staged in this commit, removed an entity of the state below.
  func hides(_ entity: LedgerEntity) -> Bool {
    guard !retentions.isEmpty, !entity.isOpen else { return false }
    return retentions.contains { retention in
      RemovalTable.Range(retention.event, at: retention.position)
        .removes(entity.id, closedAt: entity.lastPosition)
    }
  }
}
