/// Removes records of closed entities, as it was planned on an earlier state.
package struct ApplyRetention: Command {
  package let planned: RetentionApplied
  /// The position of the state that the plan was made of.
  package let position: Position

  package init(_ planned: RetentionApplied, plannedAt position: Position) {
    self.planned = planned
    self.position = position
  }

  /// - Returns: How many records leave; `nil` if the plan does not fit any more and must be made anew.
  package func decide(in decision: inout Decision) throws(LedgerError) -> Int? {
    guard let ledger = decision.ledgerID, planned.horizon <= decision.snapshotPosition,
      // What changed since the plan must be in the overlay, and understood, to be looked at.
      decision.snapshotPosition <= position, decision.base.blocked.isEmpty,
      !decision.base.snapshot.summary.counts.hasOpaque
    else { return nil }
    // What was bound since may need what was to leave.
    var needed: Set<EntityID> = []
    for handler in decision.handlersChanged(since: position) where handler.isOpen {
      handler.insertReferences(into: &needed)
    }
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

/// Records what compaction did.
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
    var changed = Array(staged.handlers.values)
    base.handlers.visitAll { if $0.lastPosition > position { changed.append($0) } }
    return changed
  }

  /// The position at which an entity ended; `nil` if it is open or not there.
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
