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

/// A source whose reads another one answers, which may be another each time.
package protocol ForwardingSource: LedgerSource {
  /// Runs `body` on what answers one read.
  func withSource<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R
}

extension ForwardingSource {
  package func head() throws(LedgerError) -> Position {
    try withSource { (source) throws(LedgerError) in try source.head() }
  }

  package func read(
    after position: Position, limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) -> Position {
    try withSource { (source) throws(LedgerError) in
      try source.read(after: position, limit: limit, body)
    }
  }

  package func commit(at position: Position) throws(LedgerError) -> CommitID? {
    try withSource { (source) throws(LedgerError) in try source.commit(at: position) }
  }

  package func attachments(
    _ wanted: [AttachmentReference]
  ) throws(LedgerError) -> [Result<[UInt8], LedgerError>] {
    try withSource { (source) throws(LedgerError) in try source.attachments(wanted) }
  }

  package func readSnapshot<R>(
    _ body: (any SnapshotTables) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try withSource { (source) throws(LedgerError) in try source.readSnapshot(body) }
  }
}
