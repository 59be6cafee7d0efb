/// The events and the snapshot of a ledger, wherever they are.
package protocol LedgerSource: EventSource, SnapshotSource, Sendable {
  /// Runs `body` on one view of the ledger, if the source can hold one: no compaction comes between its
  /// reads. It is good only as long as `body`.
  func withView<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R
}

extension LedgerSource {
  /// A source that cannot hold a view, or is one.
  package func withView<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try body(self)
  }
}
