package import PromiseLedger

extension BlockingInspector {
  /// All events that are kept.
  ///
  /// - Throws: ``LedgerError`` with `corrupt` and others of reading.
  package func allEvents() throws -> [LedgerEvent] {
    var events: [LedgerEvent] = []
    var position = try store.snapshotSummary().deletedThrough
    while case let slice = try self.events(after: position, limit: EventSlice.eventCount),
      let last = slice.last
    {
      events += slice
      position = last.position
    }
    return events
  }
}
