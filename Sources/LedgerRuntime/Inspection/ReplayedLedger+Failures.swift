/// Something that ended badly, and that nothing will consume.
package enum EndedFailure: Sendable, Hashable {
  /// A promise that needs no consumption was rejected, or timed out.
  case promise(PromiseRecord)
  /// The last call of a handler, or its invalidation code, failed.
  case handler(HandlerRecord)
}

extension ReplayedLedger {
  /// Visits promises and handlers that ended with a failure, in the order of their ends: promises that need no
  /// consumption, such as those of work, and handlers that can no longer be called.
  ///
  /// Large values are not read.
  ///
  /// - Parameters:
  ///   - kind: Whether to visit promises or handlers; by default both.
  ///   - start: Only what ended after this position is visited.
  ///   - progress: Called periodically, even while no match is found. It must not use a ledger.
  ///   - body: Receives each failure; returning `false` ends the walk.
  /// - Throws: ``LedgerError`` with `corrupt`; with `eventsDeleted` if the ledger was compacted past
  ///   ``position`` meanwhile; and any error that `body` throws.
  /// - Complexity: O(everything that ended after `start`).
  package func forEachEndedFailure(
    of kind: EntityKind? = nil, after start: Position = .start, progress: () -> Void = {},
    _ body: (EndedFailure) throws -> Bool
  ) throws {
    try forEachEntity(on: [.endedAlone(kind)], after: start, progress: progress) { entity in
      switch entity {
      case .promise(let promise) where promise.failed && promise.closing == nil:
        guard let record = try naming(promise.smallRecord) else { return true }
        return try body(.promise(record))
      case .handler(let handler) where handler.lastFinish?.outcome == .failed:
        return try body(.handler(try handler.record(attachment: attachment)))
      default: return true
      }
    }
  }
}
