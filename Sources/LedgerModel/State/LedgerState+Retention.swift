// MARK: - Removing records

extension LedgerState {
  /// Removes the records that a retentionApplied event removes.
  mutating func apply(_ retention: RetentionApplied, at position: Position) {
    if removals.closings == nil {
      removals.keepClosings(closedInOverlay)
    }
    for closing in removals.apply(RemovalTable.Range(retention, at: position)) {
      remove(closing, at: position)
    }
    horizon.extend(to: retention.horizon, retention.time)
  }

  /// The ends of the entities in the overlay, in no particular order.
  private var closedInOverlay: [RemovalTable.Closing] {
    var closed: [RemovalTable.Closing] = []
    func note(_ kind: EntityKind, _ id: EntityID, _ position: Position) {
      closed.append(RemovalTable.Closing(position: position, kind: kind, id: id))
    }
    promises.visitAll { if !$0.isOpen { note(.promise, $0.entityID, $0.lastPosition) } }
    handlers.visitAll { if !$0.isOpen { note(.handler, $0.entityID, $0.lastPosition) } }
    for session in sessions.values where session.isEnded {
      note(.session, session.id.entityID, session.lastPosition)
    }
    return closed
  }

  private mutating func remove(_ closing: RemovalTable.Closing, at position: Position) {
    let removed: LedgerEntity? =
      switch closing.kind {
      case .promise: promises.remove(PromiseID(entityID: closing.id)).map(LedgerEntity.promise)
      case .handler: handlers.remove(HandlerID(entityID: closing.id)).map(LedgerEntity.handler)
      case .session:
        sessions.removeValue(forKey: SessionID(entityID: closing.id)).map(LedgerEntity.session)
      }
    // The record of an entity that has been dropped is in the snapshot, and hidden there.
    guard let removed else { return }
    removals.note(closing.id, isKeyed: removed.isKeyed, at: position)
  }

  /// Records the end of an entity, if ends are being kept.
  mutating func noteClosing(of entity: LedgerEntity?) {
    guard removals.closings != nil, let entity, !entity.isOpen, let kind = entity.kind else {
      return
    }
    removals.close(kind, entity.id, at: entity.lastPosition)
  }
}
