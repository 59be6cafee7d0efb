/// The events and the snapshot of a ledger, in any form of storage.
public protocol LedgerSource: EventSource, SnapshotSource, Sendable {
  /// Runs `body` on one view of the ledger, if the source can hold one, so that no compaction comes between
  /// its reads. The view is valid only while `body` runs.
  func withView<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R
}

extension LedgerSource {
  /// Runs `body` on the source itself, which cannot hold a view or already is one.
  public func withView<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try body(self)
  }
}

/// A source that forwards each read to another source, which may change from read to read.
package protocol ForwardingSource: LedgerSource {
  /// Runs `body` on the source that answers one read.
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
