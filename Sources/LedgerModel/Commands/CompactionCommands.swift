/// Removes records of closed entities according to a plan made on an earlier state.
package struct ApplyRetention: Command {
  package let planned: RetentionApplied
  /// The position of the state on which the plan was made.
  package let position: Position

  package init(_ planned: RetentionApplied, plannedAt position: Position) {
    self.planned = planned
    self.position = position
  }

  /// - Returns: The number of records that are removed; `nil` if the plan no longer applies and must be made
  ///   again.
  package func decide(in decision: inout Decision) throws(LedgerError) -> Int? {
    guard let ledger = decision.ledgerID, planned.horizon <= decision.snapshotPosition,
      // The changes since the plan can be examined only if they are in the overlay and this build understands
      // them.
      decision.snapshotPosition <= position, decision.base.blocked.isEmpty,
      !decision.base.snapshot.summary.counts.hasOpaque
    else { return nil }
    // A newer binding, or a newer promise that code or other promises settle, may need a record that the plan
    // removes.
    var needed: Set<EntityID> = []
    for handler in decision.handlersChanged(since: position) where handler.isOpen {
      handler.insertReferences(into: &needed)
    }
    for promise in decision.computedPromisesChanged(since: position) {
      try promise.insertReferences(into: &needed)
    }
    try decision.base.insertInputs(ofJointsAmong: &needed)
    var kept = Set(planned.kept)
    var base = decision.base
    try base.require(needed.subtracting(kept))
    for id in needed.subtracting(kept) {
      guard let closing = try decision.closing(of: id), closing > planned.after,
        closing <= planned.horizon
      else { continue }
      kept.insert(id)
    }
    guard kept.count <= RetentionApplied.maximumKeptCount else { return nil }
    let newlyKept = UInt32(clamping: kept.count - planned.kept.count)
    let removedCount = planned.removedCount - min(planned.removedCount, newlyKept)
    try decision.append(
      RetentionApplied(
        after: planned.after, horizon: planned.horizon, time: planned.time,
        removedCount: removedCount, kept: kept.sorted()),
      to: ledger.entityID)
    return Int(removedCount)
  }
}

/// Records the result of a compaction.
package struct RecordCompaction: Command {
  package let snapshot: SnapshotTaken?
  package let deletion: EventsDeleted?

  package init(snapshot: SnapshotTaken?, deletion: EventsDeleted?) {
    self.snapshot = snapshot
    self.deletion = deletion
  }

  package func decide(in decision: inout Decision) throws(LedgerError) {
    guard let ledger = decision.ledgerID?.entityID else { return }
    if let snapshot { try decision.append(snapshot, to: ledger) }
    if let deletion { try decision.append(deletion, to: ledger) }
  }
}

extension Decision {
  /// The handlers that changed after a position.
  func handlersChanged(since position: Position) -> [HandlerEntity] {
    var changed = Array(staged.handlers.entities)
    base.handlers.visitAll { handler in
      guard handler.lastPosition > position, staged.handlers[handler.id] == nil else { return }
      changed.append(handler)
    }
    return changed
  }

  /// The promises that code or other promises settle, and that changed after a position. Also those that have ended:
  /// something older may refer to a newer joint.
  func computedPromisesChanged(since position: Position) -> [PromiseEntity] {
    var changed = Array(staged.promises.entities)
    base.promises.visitAll { promise in
      guard promise.isComputed, promise.lastPosition > position,
        staged.promises[promise.id] == nil
      else { return }
      changed.append(promise)
    }
    return changed.filter(\.isComputed)
  }

  /// The position at which an entity ended; `nil` if it is open or does not exist.
  func closing(of id: EntityID) throws(LedgerError) -> Position? {
    if let promise = try promise(PromiseID(entityID: id)) {
      return promise.isOpen ? nil : promise.lastPosition
    }
    if let handler = try handler(HandlerID(entityID: id)) {
      return handler.isOpen ? nil : handler.lastPosition
    }
    return nil
  }

  /// The id of the ledger, once it is created.
  var ledgerID: LedgerID? { staged.ledgerID ?? base.ledgerID }
}
