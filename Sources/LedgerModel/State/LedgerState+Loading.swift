extension LedgerState {
  /// The state at the position of a snapshot, without its records.
  package init(at summary: SnapshotSummary) {
    self.init()
    position = summary.position
    time = summary.time
    ledgerID = summary.ledgerID
    horizon = summary.horizon
  }

  /// Inserts an entity as read from a record.
  package mutating func load(_ entity: LedgerEntity) {
    switch entity {
    case .promise(let promise): promises.insert(promise)
    case .handler(let handler): handlers.update(handler)
    case .session(let session): sessions[session.id] = session
    case .opaque(let opaque):
      blocked[opaque.id] = ReplayProblem(
        .opaqueRecord(opaque.type), at: opaque.outline.lastPosition)
    }
  }
}
