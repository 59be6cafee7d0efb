/// Looks up entities in the stored snapshot, below the events that are replayed.
package protocol SnapshotReader: Sendable {
  /// The promise as of the snapshot's position.
  func promise(_ id: PromiseID) -> PromiseEntity?

  /// The handler as of the snapshot's position.
  func handler(_ id: HandlerID) -> HandlerEntity?
}

/// The snapshot of a ledger that has none: every event is in the log.
package struct EmptySnapshot: SnapshotReader {
  package init() {}
  package func promise(_ id: PromiseID) -> PromiseEntity? { nil }
  package func handler(_ id: HandlerID) -> HandlerEntity? { nil }
}
