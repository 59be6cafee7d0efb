/// The changes that a commit under construction has made so far, over a durable state.
///
/// Only the writer sees it. It is merged after the commit succeeds and dropped otherwise, so no reader ever
/// sees an event that is not durable.
package struct StagedLayer: Sendable {
  /// The position of the underlying state.
  package let basePosition: Position
  package private(set) var position: Position
  package private(set) var time: Timestamp
  package private(set) var ledgerID: LedgerID?
  package private(set) var promises: [PromiseID: PromiseEntity] = [:]
  package private(set) var handlers: [HandlerID: HandlerEntity] = [:]
  package private(set) var sessions: [SessionID: SessionEntity] = [:]
  /// The removals of records, with the positions of their events.
  package private(set) var retentions: [(event: RetentionApplied, position: Position)] = []
  /// The changed promises, in the order of their first change.
  package private(set) var changedPromises: [PromiseID] = []

  /// The changed promises that are pending work.
  package private(set) var work = WorkIndex()
  /// The changed promises that are pending joints, by their inputs.
  package private(set) var joints = JointIndex()
  /// The changed promises that are pending and belong to work, by its promise.
  package private(set) var children = LinkIndex()
  /// The number by which the commit changes ``LedgerState/queuedWorkCount``.
  package private(set) var queuedWorkCountChange = 0
  /// The changed handlers, in the order of their first change.
  package private(set) var changedHandlers: [HandlerID] = []

  package init(over base: LedgerState) {
    basePosition = base.position
    position = base.position
    time = base.time
  }

  /// Applies an event of the commit through the same reducer that replay uses.
  ///
  /// - Throws: `internalInconsistency` if the event does not fit, which means that a decision was wrong.
  package mutating func apply(
    _ event: borrowing EventView, over base: LedgerState
  ) throws(LedgerError) {
    switch event.kind.subject {
    case .promise:
      let id = PromiseID(entityID: event.subject)
      if promises[id] == nil { changedPromises.append(id) }
      var old: PromiseEntity?
      try promises.stage(event, at: id) { id throws(LedgerError) in
        old = try base.promiseToChange(id)
        return old
      }
      if let entity = promises[id], entity.isExtended {
        // The index has the place of work in memory, which need not be decoded again.
        let place = base.promises.work[id] ?? old?.workPlace
        if old != nil, place?.isDueAtOnce ?? false { queuedWorkCountChange -= 1 }
        let count = work.dueAtOnceCount
        work.update(entity)
        queuedWorkCountChange += work.dueAtOnceCount - count
        joints.update(entity)
        children.update(id, naming: entity.pendingParent)
      }
    case .handler:
      let id = HandlerID(entityID: event.subject)
      if handlers[id] == nil { changedHandlers.append(id) }
      try handlers.stage(event, at: id) { id throws(LedgerError) in try base.handlerToChange(id) }
    case .session:
      let id = SessionID(entityID: event.subject)
      try sessions.stage(event, at: id) { id throws(LedgerError) in try base.sessionToChange(id) }
    case .ledger:
      try applyToLedger(event)
    case nil:
      throw .misfit(event.isOfUnknownKind)
    }
    position = event.position
    time = max(time, event.time)
  }

  private mutating func applyToLedger(_ event: borrowing EventView) throws(LedgerError) {
    do throws(ReplayProblem) {
      switch try LedgerChange(event, over: ledgerID) {
      case .created(let id): ledgerID = id
      case .removed(let retention): retentions.append((event: retention, position: event.position))
      case .none: break
      }
    } catch {
      throw .misfit(error)
    }
  }

  /// Whether retention staged in this commit removed an entity of the underlying state.
  func hides(_ entity: LedgerEntity) -> Bool {
    guard !retentions.isEmpty, !entity.isOpen else { return false }
    return retentions.contains { retention in
      RemovalTable.Range(retention.event, at: retention.position)
        .removes(entity.id, closedAt: entity.lastPosition)
    }
  }
}

extension Dictionary where Value: ReplayedEntity {
  /// Applies an event to an entity, which is first copied from the underlying state.
  fileprivate mutating func stage(
    _ event: borrowing EventView, at id: Key,
    over below: (Key) throws(LedgerError) -> Value?
  ) throws(LedgerError) {
    if self[id] == nil { self[id] = try below(id) }
    do throws(ReplayProblem) {
      if self[id] == nil {
        self[id] = try Value(creating: event)
      } else {
        try self[id]?.apply(event)
      }
    } catch {
      throw .misfit(error)
    }
  }
}

extension LedgerError {
  fileprivate static func misfit(_ problem: ReplayProblem) -> LedgerError {
    LedgerError(
      .internalInconsistency,
      "A decision made an event that cannot be applied: \(problem.reason). Nothing was written; please report this."
    )
  }
}
