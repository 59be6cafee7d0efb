package import LedgerRuntime

extension ReplayedLedger {
  /// The promises in these states, in the order in which they are handed over.
  package func promises(
    _ statuses: Set<PromiseRecord.Status> = [.pending, .resolved, .consumed, .abandoned]
  ) throws -> [PromiseRecord] {
    var records: [PromiseRecord] = []
    try forEachPromise(statuses) { record in
      records.append(record)
      return true
    }
    return records
  }

  package func handlers(includesClosed: Bool = false) throws -> [HandlerRecord] {
    var records: [HandlerRecord] = []
    try forEachHandler(includesClosed: includesClosed) { record in
      records.append(record)
      return true
    }
    return records
  }
}
