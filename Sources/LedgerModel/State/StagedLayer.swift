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
  package private(set) var promises = StagedTable<PromiseID, PromiseEntity>()
  package private(set) var handlers = StagedTable<HandlerID, HandlerEntity>()
  package private(set) var sessions = StagedTable<SessionID, SessionEntity>()
  /// The removals of records, with the positions of their events.
  package private(set) var retentions: [(event: RetentionApplied, position: Position)] = []
  /// The changed promises that are pending work.
  package private(set) var work = WorkIndex()
  /// The changed promises that are pending joints, by their inputs.
  package private(set) var joints = JointIndex()
  /// The changed promises that are pending and belong to work, by its promise.
  package private(set) var children = LinkIndex()
  /// The number by which the commit changes ``LedgerState/queuedWorkCount``.
  package private(set) var queuedWorkCountChange = 0

  package init(over base: borrowing LedgerState) {
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
      var old: PromiseEntity?
      let staged = try promises.apply(event, to: id) { () throws(LedgerError) in
        old = try base.promiseToChange(id)
        return old
      }
      if promises.entities[staged].isExtended {
        let entity = promises.entities[staged]
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
      _ = try handlers.apply(event, to: id) { () throws(LedgerError) in
        try base.handlerToChange(id)
      }
    case .session:
      let id = SessionID(entityID: event.subject)
      _ = try sessions.apply(event, to: id) { () throws(LedgerError) in
        try base.sessionToChange(id)
      }
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

  /// Whether retention staged in this commit may hide entities of the underlying state.
  var hidesEntities: Bool { !retentions.isEmpty }

  /// Whether retention staged in this commit removed an entity of the underlying state.
  func hides(_ entity: LedgerEntity) -> Bool {
    guard hidesEntities, !entity.isOpen else { return false }
    return retentions.contains { retention in
      RemovalTable.Range(retention.event, at: retention.position)
        .removes(entity.id, closedAt: entity.lastPosition)
    }
  }
}
