extension BlockingInspector {
  /// A copy of the ledger in memory, with its values and texts replaced.
  ///
  /// - Parameter tick: Called periodically. It must not use a ledger.
  /// - Throws: ``LedgerError`` with `unsupportedEvent` if something of a later version cannot be redacted:
  ///   update; `corrupt`; `closed`; any error that `tick` throws.
  /// - Complexity: O(events that are kept) in time and memory.
  package func redacted(by redactor: Redactor, tick: () throws -> Void) throws -> BlockingInspector
  {
    let archive: (([UInt8]) throws -> Void) throws -> Void = { add in
      try self.export { piece in
        try add(piece)
        try tick()
      }
    }
    return BlockingInspector(try InMemoryInspection(copying: archive, redactor))
  }

  /// Writes an excerpt: the records and the events of some entities, as an archive has them.
  ///
  /// No ledger can be made of it, and an import says so. It sees the ledger as it was when it began.
  ///
  /// - Parameters:
  ///   - ids: The promises, handlers and sessions.
  ///   - tick: Called periodically. It must not use a ledger.
  ///   - sink: Receives the bytes, piece by piece. It must not read the ledger.
  /// - Throws: ``LedgerError`` as ``export(_:)``; any error that `tick` or `sink` throws.
  /// - Complexity: O(events that are kept).
  /// - Returns: The number of records and events.
  @discardableResult
  package func exportExcerpt(
    of ids: Set<EntityID>, tick: () throws -> Void, _ sink: ([UInt8]) throws -> Void
  ) throws -> (recordCount: Int, eventCount: Int) {
    var filter = ExcerptFilter(ids)
    try sink(filter.header(of: id))
    try export { piece in
      let lines = try filter.filter(piece)
      if !lines.isEmpty { try sink(lines) }
      try tick()
    }
    try sink(filter.end())
    return (filter.recordCount, filter.eventCount)
  }
}
