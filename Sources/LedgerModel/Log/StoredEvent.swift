import LedgerBytes

/// An event copied from the log, with the commit that wrote it.
package struct StoredEvent: Sendable {
  package let position: Position
  package let commit: CommitID
  /// The bytes of the event, with its padding and without its attachment.
  package let record: [UInt8]

  package init(copying event: borrowing EventView, of commit: CommitID) {
    position = event.position
    self.commit = commit
    record = Array(copying: event.record)
  }

  /// A view of the copied event.
  package var view: EventView {
    @_lifetime(borrow self)
    borrowing get {
      EventView(bytes: record.span, position: position, session: commit.session)
    }
  }

  /// Whether the bytes are the canonical encoding of the fields: no longer than needed, and padded with
  /// zeros.
  package var hasPlainLayout: Bool {
    let end = EventView.headerByteCount + view.payloadByteCount
    return record.count == (end + 7) & ~7 && record[end...].allSatisfy { $0 == 0 }
  }
}
