import PromiseLedger

extension BlockingInspector {
  /// Reads the whole log.
  func allEvents() throws -> [LedgerEvent] {
    var events: [LedgerEvent] = []
    var position = Position.start
    while case let slice = try self.events(after: position, limit: 10_000), let last = slice.last {
      events += slice
      position = last.position
    }
    return events
  }
}
