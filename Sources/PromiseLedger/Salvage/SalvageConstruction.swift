import LedgerSystem

/// Makes a ledger according to a plan.
struct SalvageConstruction {
  let file: SalvagedFile
  let plan: SalvagePlan
  let metadata: LedgerMetadata
  let tick: () throws -> Void

  /// Fills a new ledger.
  ///
  /// - Returns: The number of events of the damaged ledger in it.
  /// - Throws: `corrupt` if the events contradict each other, or what was found can no longer be read; the errors
  ///   of writing the ledger; any error of `tick`.
  func fill(_ construction: LMDBConstruction) throws -> Int {
    var builder = LedgerBuilder(construction)
    if let snapshot = plan.snapshot { try add(snapshot, to: &builder) }
    var eventCount = 0
    for frame in plan.frames {
      try tick()
      for event in try file.events(of: frame) where event.position > plan.base.position {
        try add(event, to: &builder)
        eventCount += 1
      }
    }
    if eventCount == 0 { try addSession(after: plan.base.position, to: &builder) }
    if let snapshot = plan.snapshot {
      try builder.finishSnapshot(as: snapshot.summary, of: metadata, after: plan.base)
    }
    try builder.finish()
    return eventCount
  }

  private func add(_ snapshot: SalvagedSnapshot, to builder: inout LedgerBuilder) throws {
    for id in snapshot.recordIDs {
      guard
        let entity = file.record(
          id, through: snapshot.summary.position, onlyLive: snapshot.onlyLive)
      else { throw SnapshotRecord.lost(id) }
      try builder.put(entity)
      for owned in entity.attachments.sorted(by: { $0.position < $1.position })
      where owned.position <= plan.base.position {
        guard let content = file.attachment(owned) else { throw SnapshotRecord.lost(id) }
        try builder.put(content, at: owned.position)
      }
    }
    for id in snapshot.tombstones { try builder.putTombstone(id) }
  }

  private func add(_ event: StoredEvent, to builder: inout LedgerBuilder) throws {
    let view = event.view
    var attachment: [UInt8] = []
    if let reference = AttachmentReference(view) {
      guard let content = file.attachment(reference) else {
        throw LedgerError.missingEvents(after: event.position)
      }
      attachment = content
    }
    _ = try builder.append(
      NewEvent(
        kind: view.kind, version: view.version, flags: view.flags, time: view.time,
        subject: view.subject, cause: view.cause, payload: view.payloadBytes,
        attachment: attachment),
      at: event.position, of: event.commit)
  }

  /// Adds the session of the salvage itself: a log must have an event after its snapshot.
  private func addSession(after position: Position, to builder: inout LedgerBuilder) throws {
    let configuration = LedgerConfiguration()
    let now = configuration.timeForIDs
    let session = SessionID(entityID: configuration.idGenerator.makeID(at: now))
    let opened = SessionOpened(
      role: .operator, processID: ThisProcess.id, instance: "salvage", host: ThisProcess.hostName,
      libraryVersion: Ledger.libraryVersion)
    let closed = SessionClosed(reason: .closed)
    let events = [
      (SessionOpened.kind, opened.encoded), (SessionClosed.kind, closed.encoded),
    ]
    for (index, (kind, payload)) in events.enumerated() {
      _ = try builder.append(
        NewEvent(
          kind: kind, version: 1, time: now, subject: session.entityID, payload: payload),
        at: position.advanced(by: index + 1),
        of: CommitID(session: session, number: UInt64(index + 1)))
    }
  }
}
