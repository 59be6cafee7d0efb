// MARK: - Removing records

extension LedgerState {
  /// Removes the records that a retentionApplied event removes.
  mutating func apply(_ retention: RetentionApplied, at position: Position) {
    if removals.closings == nil {
      removals.keepClosings(
        overlaid.filter { !$0.isOpen }.map {
          RemovalTable.Closing(position: $0.lastPosition, kind: $0.kind, id: $0.id)
        })
    }
    for closing in removals.apply(RemovalTable.Range(retention, at: position)) {
      remove(closing, at: position)
    }
    horizon.extend(to: retention.horizon, retention.time)
  }

  private mutating func remove(_ closing: RemovalTable.Closing, at position: Position) {
    var isKeyed = false
    switch closing.kind {
    case .promise:
      isKeyed = promises.remove(PromiseID(entityID: closing.id))?.isKeyed ?? false
    case .handler:
      isKeyed = handlers.remove(HandlerID(entityID: closing.id))?.key != nil
    case .session:
      sessions[SessionID(entityID: closing.id)] = nil
    }
    removals.note(closing.id, isKeyed: isKeyed, at: position)
  }

  /// Notes the end of an entity, once ends are kept.
  mutating func noteClosing(of entity: LedgerEntity?) {
    guard removals.closings != nil, let entity, !entity.isOpen else { return }
    removals.close(entity.kind, entity.id, at: entity.lastPosition)
  }
}
