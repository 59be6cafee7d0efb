extension ReplayedLedger {
  /// The history of work as spans of time: its attempts, their steps, and what it waited for in between.
  ///
  /// - Parameters:
  ///   - id: The promise that the work settles.
  ///   - now: The time for which the trace holds.
  ///   - progress: Called periodically. It must not use a ledger.
  /// - Returns: `nil` if there is no such promise, or code does not settle it.
  /// - Throws: ``LedgerError`` with `corrupt`; with `unsupportedEvent` if only a later version can read the
  ///   promise; with `eventsDeleted` if the ledger was compacted past ``position`` in the meantime: replay again.
  /// - Complexity: O(events that are kept, from the creation of the promise up to its newest event).
  public func trace(
    of id: PromiseID, at now: Timestamp, progress: () -> Void = {}
  ) throws(LedgerError) -> WorkTrace? {
    let (entity, isBlocked) = try reading { (state) throws(LedgerError) in
      (try state.promise(id), state.blocked[id.entityID] != nil)
    }
    guard let entity, entity.isWork else { return nil }
    // An event that changes nothing may follow the last one of the record.
    let end = entity.isOpen || isBlocked ? position : entity.lastPosition
    while true {
      let deleted = try log.snapshotSummary().deletedThrough
      do throws(LedgerError) {
        let events = try events(of: entity, after: deleted, through: end, progress)
        return try WorkTrace(entity, events: events, deletedThrough: deleted, at: now)
      } catch {
        // A compaction deleted events in the meantime.
        guard let through = error.eventsDeletedThrough, through > deleted else { throw error }
      }
    }
  }

  /// The events of work after a position and up to another one.
  private func events(
    of entity: PromiseEntity, after deleted: Position, through end: Position,
    _ progress: () -> Void
  ) throws(LedgerError) -> [LedgerEvent] {
    let subject = entity.id.entityID
    var last = max(deleted, entity.created.position)
    var events: [LedgerEvent] = []
    while last < end {
      let start = last
      last = try log.read(after: start, limit: EventSlice.eventCount) {
        (frame) throws(LedgerError) in
        try frame.forEachEvent(after: start) { event in
          guard event.subject == subject, event.position <= end else { return }
          events.append(LedgerEvent(copying: event))
        }
      }
      guard last > start else { break }
      progress()
    }
    return events
  }
}

extension LedgerInspector {
  /// The history of work as spans of time: its attempts, their steps, and what it waited for in between; `nil` if
  /// there is no such promise, or code does not settle it.
  ///
  /// - Parameters:
  ///   - id: The promise that the work settles.
  ///   - now: The time for which the trace holds.
  /// - Throws: As ``replay()``; with `unsupportedEvent` if only a later version can read the promise.
  /// - Complexity: O(events that are kept).
  public func trace(
    of id: PromiseID, at now: Timestamp = .now
  ) async throws -> WorkTrace? {
    try await run { inspector in try inspector.withReplay { try $0.trace(of: id, at: now) } }
  }
}
